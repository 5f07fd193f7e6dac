import Logging
import ServiceLifecycle

/// Looks through a large database once after each start, while the store serves; small ones were read before.
struct IntegrityCheck: Service {
  let database: any Database
  let logger: Logger

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
