import Logging
import ServiceLifecycle

/// Notices within a second that another process has changed the database: reads again what is kept in memory, and wakes
/// the waiting polls.
struct ExternalChanges: Service {
  let core: StoreCore

  func run() async throws {
    // From before the core read its data, not from now: a change in between would wake no poll.
    var known = core.firstChangeToken
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try? await cancelWhenGracefulShutdown { try await core.dependencies.clock.sleep(for: .seconds(1)) }
      do {
        known = try await look(since: known)
      } catch is CancellationError {
        return
      } catch {
        core.dependencies.logger.error("reload failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
    }
  }

  /// Looks once; the change token to go on from, which is older than what was read.
  func look(since known: Int64) async throws -> Int64 {
    let token = try await core.dependencies.database.changeToken()
    try await core.caches.reloadChanged()
    if token != known { core.changes.wakeAll() }
    return token
  }
}
