import Logging
import ServiceLifecycle

/// Notices that another process (the command line) has changed the database, and takes it over within a second.
struct ExternalChanges: Service {
  let core: StoreCore

  func run() async throws {
    // From before the core read its data, not from now: a change in between would never be noticed.
    var known = core.firstChangeToken
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try? await cancelWhenGracefulShutdown { try await core.dependencies.clock.sleep(for: .seconds(1)) }
      do {
        known = try await takeOver(since: known)
      } catch is CancellationError {
        return
      } catch {
        core.dependencies.logger.error("reload failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
    }
  }

  /// Reads the data again if it has changed since a token; the token to go on from, which is older than what was read.
  func takeOver(since known: Int64) async throws -> Int64 {
    let token = try await core.dependencies.database.changeToken()
    guard token != known else { return known }
    try await core.reload()
    core.changes.wakeAll()
    return token
  }
}
