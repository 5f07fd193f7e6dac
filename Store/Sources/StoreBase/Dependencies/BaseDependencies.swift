package import Logging

/// The clock, randomness, database and log of a store: the part of ``StoreDependencies`` that needs no configuration.
package struct BaseDependencies: Sendable {
  package let clock: SandboxClock
  package let random: any RandomSource
  package let database: any Database
  package let logger: Logger

  package init(clock: SandboxClock, random: any RandomSource, database: any Database, logger: Logger) {
    self.clock = clock
    self.random = random
    self.database = database
    self.logger = logger
  }
}
