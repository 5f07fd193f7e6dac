import Logging
import ServiceLifecycle

/// Notices within a second that another process has changed the database: reads again what is kept in memory, and wakes
/// the waiting polls.
struct ExternalChanges: Service {
  let core: StoreCore

  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try? await cancelWhenGracefulShutdown { try await core.dependencies.clock.sleep(for: .seconds(1)) }
      do {
        try await look()
      } catch is CancellationError {
        return
      } catch {
        core.dependencies.logger.error("reload failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
    }
  }

  /// Looks once.
  func look() async throws {
    try await core.caches.takeOver()
    try await core.changes.wakeOutdated(core.dependencies.database)
  }
}
