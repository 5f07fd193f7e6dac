package import Logging
import ServiceLifecycle

/// Looks through a large database once after each start, while the store serves; small ones were read before.
package struct IntegrityCheck: Service {
  package let database: any Database
  package let logger: Logger

  package init(database: any Database, logger: Logger) {
    self.database = database
    self.logger = logger
  }

  func run() async throws {
    do {
      let finding = try await cancelWhenGracefulShutdown { try await database.damage() }
      if let finding {
        logger.critical(
          "the database is damaged: stop the store and restore a backup", metadata: ["finding": "\(finding)"])
      }
    } catch is CancellationError {
      // The store stops before all was read.
    } catch {
      logger.error("looking for damage failed", metadata: ["error": "\(error.loggedName)"])
    }
    // A service that ends before the store stops would end the store.
    try? await gracefulShutdown()
  }
}
