import Logging
import ServiceLifecycle

/// Looks at the guard of a machine that shares the database with others, within seconds: it finds lost commits also when
/// no wallet asks this machine.
struct VaultGuardWatch: Service {
  let vault: VaultService
  let dependencies: StoreDependencies

  func run() async throws {
    guard dependencies.database.isOnServer else {
      // A service that ends before the store stops would end the store.
      try? await gracefulShutdown()
      return
    }
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        try await vault.lossGuard.watch()
      } catch {
        dependencies.logger.error(
          "the vault's guard could not be compared", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
      try? await cancelWhenGracefulShutdown { try await dependencies.clock.sleep(for: .seconds(2)) }
    }
  }
}
