import Logging
import ServiceLifecycle

/// Forgets old visits, tokens and events, once an hour.
struct AttributionMaintenance: Service {
  let attribution: AttributionService
  let events: EventService
  let logger: Logger

  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        try await attribution.clear()
        try await events.clear()
      } catch {
        logger.error("clearing visits and events failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
      try? await cancelWhenGracefulShutdown { try await attribution.clock.sleep(for: .seconds(3600)) }
    }
  }
}
