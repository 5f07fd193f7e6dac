import Logging

/// The clock, randomness, database and log of a store: the part of ``StoreDependencies`` that needs no configuration.
struct BaseDependencies: Sendable {
  let clock: SandboxClock
  let random: any RandomSource
  let database: any Database
  let logger: Logger
}
