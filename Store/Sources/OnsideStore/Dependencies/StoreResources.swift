import Logging

/// What every part of the store is given: time, randomness, data and a log. Nothing of it is global.
struct StoreResources: Sendable {
  let clock: SandboxClock
  let random: any RandomSource
  let database: any Database
  let logger: Logger
}
