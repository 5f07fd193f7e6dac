import Foundation
import OnsideStore
import StoreTestSupport
import StoreWeb
import Testing

@Suite("The listener for health checks and metrics", .timeLimit(.minutes(5)))
struct MonitoringListenerTests {
  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" }

  private static func answer(_ address: URL, _ path: String) async throws -> String {
    let socket = try RawSocket(address)
    socket.send(get(path))
    return try await socket.receiveAll()
  }

  @Test("STO-20: answers while clients hold all connections of the store")
  func connectionsUsedUp() async throws {
    let port = try #require(try ChildServer.freePorts(1).first)
    let store = try await TestStore {
      $0.limits.connections = 10
      $0.monitoring.port = port
    }
    try await store.live { address in
      let monitoring = try #require(URL(string: "http://127.0.0.1:\(port)"))
      let idle = try (0..<20).map { _ in try RawSocket(address) }
      let waiting = try RawSocket(address)
      waiting.send(Self.get("/health/live"))
      for path in ["/health/live", "/health/ready", "/healthz", "/metrics"] {
        let answer = try await Self.answer(monitoring, path)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK"), "\(path): \(answer)")
      }
      #expect(!waiting.hasInput)
      #expect(idle.count == 20)
    }
  }

  @Test("STO-20: has the metrics, which the clients' listener then has not, and nothing of the store")
  func routes() async throws {
    let port = try #require(try ChildServer.freePorts(1).first)
    let store = try await TestStore { $0.monitoring.port = port }
    try await store.live { address in
      let monitoring = try #require(URL(string: "http://127.0.0.1:\(port)"))
      for (listener, path, status) in [
        (address, "/metrics", "404"), (address, "/health/live", "200"), (monitoring, "/metrics", "200"),
        (monitoring, "/v1/products", "404"), (monitoring, "/account", "404"),
      ] {
        let answer = try await Self.answer(listener, path)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(answer)")
      }
    }
  }

  @Test("The address under which a store serves is that of a command beside it")
  func servedAddress() async throws {
    let store = try await TestStore()
    try await store.live { address in
      let command = try await StoreCore(store.core.dependencies)
      #expect(command.address.url == address)
    }
  }
}
