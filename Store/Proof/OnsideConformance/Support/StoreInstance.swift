import Foundation
import OnsideStore
import ServiceLifecycle
import StoreWeb

/// A store that serves, with caches, connections and a port of its own. Two of them on one database know no more of
/// each other than two processes do.
struct StoreInstance: Sendable {
  let core: StoreCore
  /// Where it listens.
  let address: URL
  private let group: ServiceGroup
  private let task: Task<Void, any Error>

  /// Starts it; it answers when this returns.
  init(serving core: StoreCore) async throws {
    self.core = core
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let store = StoreApplication(core: core)
    let group = ServiceGroup(
      services: [StoreService(store: store) { if let port = core.address.port { listening.yield(port) } }],
      logger: core.dependencies.logger)
    let task = Task {
      defer { listening.finish() }
      try await group.run()
    }
    (self.group, self.task) = (group, task)
    guard let port = await ports.first(where: { _ in true }), let address = URL(string: "http://127.0.0.1:\(port)")
    else {
      try await task.value
      throw CancellationError()
    }
    self.address = address
  }

  /// Stops it.
  func close() async {
    await group.triggerGracefulShutdown()
    _ = await task.result
  }
}

/// The store as a service that can be told to stop.
private struct StoreService: Service {
  let store: StoreApplication
  let onListening: @Sendable () -> Void

  func run() async throws {
    try await store.run(gracefulShutdownSignals: []) { _ in onListening() }
  }
}
