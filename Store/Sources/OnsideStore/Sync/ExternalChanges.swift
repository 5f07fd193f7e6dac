import Logging
import ServiceLifecycle

/// Notices that another process (the command line) has changed the database, and takes it over within a second.
struct ExternalChanges: Service {
  let core: StoreCore

  func run() async throws {
    var known = try await core.dependencies.database.changeToken()
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try? await cancelWhenGracefulShutdown { try await core.dependencies.clock.sleep(for: .seconds(1)) }
      do {
        let token = try await core.dependencies.database.changeToken()
        guard token != known else { continue }
        try await core.reload()
        known = token
        core.changes.wakeAll()
      } catch is CancellationError {
        return
      } catch {
        core.dependencies.logger.error("reload failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
    }
  }
}
