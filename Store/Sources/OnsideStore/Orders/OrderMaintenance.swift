import Logging
import ServiceLifecycle

/// Gives up open orders when their time is over.
struct OrderMaintenance: Service {
  let orders: OrderService
  let dependencies: StoreDependencies

  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        try await orders.expireOpenOrders()
      } catch {
        dependencies.logger.error("expiry failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
      try? await cancelWhenGracefulShutdown { try await self.dependencies.clock.sleep(for: .seconds(1)) }
    }
  }
}
