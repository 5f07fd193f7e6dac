import Foundation
import OnsideAPI
import StoreTestSupport
import Testing

@testable import OnsideStore

/// One network cannot keep others out by what it does not send (STO-5).
@Suite("Stalled bodies and idle connections of one network", .timeLimit(.minutes(2)))
struct SlowBodyTests {
  private static let others = "127.0.0.2"

  private static func post(_ body: String?) -> String {
    let length = body?.utf8.count ?? 100
    return """
      POST /oauth/token HTTP/1.1\r
      Host: 127.0.0.1\r
      Content-Type: application/x-www-form-urlencoded\r
      Content-Length: \(length)\r
      \r
      \(body ?? "")
      """
  }

  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" }

  /// The status of an answer.
  private static func status(_ socket: RawSocket, _ request: String) async throws -> String? {
    socket.send(request)
    return try await socket.receive()?.split(separator: " ").dropFirst().first.map(String.init)
  }

  @Test("STO-5: a hundred stalled bodies of one network take no place of another network's requests")
  func stalledBodies() async throws {
    let store = try await LoginStore { $0.limits.requestsInFlight = 8 }
    try await store.live { address in
      let stalled = try (0..<100).map { _ in try RawSocket(address) }
      for socket in stalled { socket.send(Self.post(nil)) }
      // Half of the places, and all others are rejected at once.
      var rejected = 0
      for socket in stalled.suffix(92) where try await socket.receive()?.contains(" 503 ") == true { rejected += 1 }
      #expect(rejected == 92)
      for _ in 0..<20 {
        let form = try await Self.status(try RawSocket(address, from: Self.others), Self.post("grant_type=none"))
        // It names no app.
        #expect(form == "401")
        let page = try await Self.status(try RawSocket(address, from: Self.others), Self.get("/login?next=/"))
        #expect(page == "303")
      }
    }
  }

  @Test("STO-5: one network's idle connections leave connections for another network's health check")
  func idleConnections() async throws {
    let store = try await LoginStore { configuration in
      configuration.limits.connections = 40
      configuration.limits.connectionsPerNetwork = 20
    }
    try await store.live { address in
      let idle = try (0..<60).map { _ in try RawSocket(address) }
      let health = try await Self.status(try RawSocket(address, from: Self.others), Self.get("/health/live"))
      #expect(health == "200")
      #expect(idle.count == 60)
    }
  }
}
