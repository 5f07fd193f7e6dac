import Foundation
import OnsideAPI
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreWeb

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
      // An eighth of 8 MiB holds 16 small bodies; all others are rejected at once.
      let answers = try await Self.answers(84, of: stalled)
      #expect(answers.count == 84 && answers.allSatisfy { $0.contains(" 503 ") })
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
      configuration.limits.headTimeout = .seconds(600)
    }
    try await store.live { address in
      let idle = try (0..<30).map { _ in try RawSocket(address) }
      let ends = try await Self.answers(10, of: idle)
      #expect(ends == Array(repeating: "", count: 10))
      let health = try await Self.status(try RawSocket(address, from: Self.others), Self.get("/health/live"))
      #expect(health == "200")
    }
  }

  /// Waits until a number of sockets have received an answer or the end of the connection; returns what they received.
  private static func answers(_ number: Int, of sockets: [RawSocket]) async throws -> [String] {
    let deadline = NamedDeadline("\(number) answers")
    while sockets.count(where: \.hasInput) < number { try await deadline.next(in: .milliseconds(50)) }
    var answers: [String] = []
    for socket in sockets where socket.hasInput { answers.append(try await socket.receive() ?? "") }
    return answers
  }
}
