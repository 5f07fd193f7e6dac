import Logging
import ServiceLifecycle

/// Clears deleted keys out of the database's files within a minute, and drops what was never confirmed.
struct VaultMaintenance: Service {
  let vault: VaultService
  let dependencies: StoreDependencies

  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        try await vault.maintain()
      } catch {
        dependencies.logger.error(
          "vault maintenance failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
      try? await cancelWhenGracefulShutdown { try await dependencies.clock.sleep(for: .seconds(20)) }
    }
  }
}
