import HTTPTypes
import HummingbirdTesting
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreWeb

@Suite("Whom a limit counts", .timeLimit(.minutes(5)))
struct ClientLimitTests {
  @Test("STO-5: a network of IPv6 is one client, however many addresses it uses; each IPv4 address is one")
  func networks() async throws {
    let store = try await TestStore {
      $0.isBehindProxy = true
      $0.limits.perClient = RateLimit(perSecond: 1, burst: 1)
    }
    try await store.test { client in
      let answers: [(String, HTTPResponse.Status)] = [
        ("2001:db8:1::1", .ok), ("2001:db8:1:ffff::2", .tooManyRequests), ("2001:DB8:1:0:0::3", .tooManyRequests),
        ("[2001:db8:1::4]:4711", .tooManyRequests), ("2001:db8:2::1", .ok), ("203.0.113.7", .ok),
        ("203.0.113.8", .ok), ("203.0.113.7:4711", .tooManyRequests), ("::ffff:203.0.113.7", .tooManyRequests),
      ]
      for (address, expected) in answers {
        let status = try await client.execute(
          uri: "/healthz", method: .get, headers: [.forwardedFor: address]
        ) { $0.status }
        #expect(status == expected, "\(address)")
      }
    }
  }

  @Test("A prefix is the same however its address is written")
  func spelling() {
    #expect(NetworkPrefix.of("2001:db8:0:1::1") == NetworkPrefix.of("2001:db8::1"))
    #expect(NetworkPrefix.of("2001:db8:1::1") == "2001:db8:1::/48")
    #expect(NetworkPrefix.of("203.0.113.7") == "203.0.113" && NetworkPrefix.of("::ffff:cb00:7107") == "203.0.113")
    #expect(NetworkPrefix.ofCaller("fe80::1%eth0") == "fe80:0:0::/48")
    for strange in ["", "unknown", "1.2.3", ":::"] { #expect(NetworkPrefix.ofCaller(strange) == strange) }
  }

  @Test("STO-5: logins that a page begins have a limit of their own, one for all such pages; nothing else uses it up")
  func logins() async throws {
    let store = try await LoginStore { $0.limits.loginsPerClient = RateLimit(perSecond: 1, burst: 3) }
    try await store.test { client in
      func open(_ path: String) async throws -> HTTPResponse.Status {
        try await client.execute(uri: path, method: .get) { $0.status }
      }
      for _ in 0..<5 {
        let outcome = try await open("/oauth/authorize?client_id=unknown")
        #expect(outcome == .badRequest)
      }
      for path in ["/login", LoginStore.authorize(), "/login"] {
        let secondOutcome = try await open(path)
        #expect(secondOutcome == .seeOther)
      }
      for path in ["/login", LoginStore.authorize()] {
        let thirdOutcome = try await open(path)
        #expect(thirdOutcome == .tooManyRequests)
      }
      let rows = try await store.store.core.dependencies.database.read { connection in
        try connection.row("SELECT count(*) AS n FROM login_attempts")?.integer("n")
      }
      #expect(rows == 3)
      let outcome = try await open("/")
      #expect(outcome == .ok)
      store.store.clock.advance(by: .seconds(1))
      let secondOutcome = try await open("/login")
      #expect(secondOutcome == .seeOther)
    }
  }
}
