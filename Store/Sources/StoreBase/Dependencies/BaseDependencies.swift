package import Logging

/// The environment, clock, randomness, database and log of a store. A service takes them, and of the configuration only
/// the values that it uses.
package struct BaseDependencies: Sendable {
  package let environment: StoreEnvironment
  package let clock: SandboxClock
  package let random: any RandomSource
  package let database: any Database
  package let logger: Logger

  package init(
    environment: StoreEnvironment, clock: SandboxClock, random: any RandomSource, database: any Database,
    logger: Logger
  ) {
    self.environment = environment
    self.clock = clock
    self.random = random
    self.database = database
    self.logger = logger
  }
}
