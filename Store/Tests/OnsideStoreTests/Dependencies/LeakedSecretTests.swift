import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import Stellar
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// Attacks with the secrets of a copy of the database. The forger is a process that has read the database before the
/// rotation, and not again.
@Suite("A leaked secret", .timeLimit(.minutes(5)))
struct LeakedSecretTests {
  private static let user = InterfaceWorld.user
  private static let app = InterfaceWorld.app

  private static func forger(of store: TestStore) async throws -> StoreCore {
    try await TestStore(in: store.folder, clock: store.clock, seed: 2).core
  }

  @Test("STO-18: every route that takes access tokens rejects one of a leaked secret with 401")
  func accessTokens() async throws {
    let world = try await InterfaceWorld(unlimited: true)
    let forger = try await Self.forger(of: world.store)
    let forged = forger.accessToken.issue(
      accountID: Self.user, appID: Self.app, sessionID: Self.user, now: world.store.clock.now())
    let routes = world.application.routes.map(\.route).filter { $0.caller == .account || $0.caller == .app }
    try await world.test { client in
      func rejecting() async throws -> Int {
        var count = 0
        for route in routes {
          var probe = world.probe(route)
          probe.bearer(forged)
          if try await probe.send(client).status == .unauthorized { count += 1 }
        }
        return count
      }
      let before = try await rejecting()
      try await world.store.core.secrets.replaceLeaked()
      let after = try await rejecting()
      print("forged access token: rejected by \(before), then by \(after) of \(routes.count) routes")
      #expect(before == 0 && after == routes.count && routes.count > 15)
    }
  }

  @Test("STO-18: addresses of pages, forms and provider events of a leaked secret are rejected")
  func pages() async throws {
    let world = try await InterfaceWorld(unlimited: true)
    let forger = try await Self.forger(of: world.store)
    let now = world.store.clock.now()
    let (open, paid) = (
      try #require(UUID(uuidString: world.places.open)), try #require(UUID(uuidString: world.places.paid))
    )
    let account = try #require(UUID(uuidString: Self.user))
    let pages = [
      "/pay/\(forger.orders.json.tokens.token(orderID: open))",
      "/receipt/\(forger.orders.json.tokens.token(orderID: paid))",
      "/refund/\(forger.hostedPages("refund").token(of: paid, now: now))",
      "/subscriptions/\(forger.hostedPages("subscriptions").token(of: account, now: now))?app=\(Self.app)",
      "/redeem/\(forger.hostedPages("redeem").token(of: account, now: now))?app=\(Self.app)",
    ]
    try await world.test { client in
      func statuses() async throws -> [Int] {
        var all: [Int] = []
        for page in pages { all.append(try await client.execute(uri: page, method: .get).status.code) }
        all.append(try await Self.submitForged(by: forger, client))
        all.append(try await Self.reportForged(by: forger, world, client))
        return all
      }
      let before = try await statuses()
      try await world.store.core.secrets.replaceLeaked()
      let after = try await statuses()
      print("forged pages, form, event: \(before), then \(after)")
      #expect(before.allSatisfy { $0 < 400 })
      #expect(after.allSatisfy { $0 >= 400 })
    }
  }

  /// Sends the form of a product with a CSRF token of the forger's.
  private static func submitForged(by forger: StoreCore, _ client: any TestClientProtocol) async throws -> Int {
    let browser = try await Browser(client).get("/shop/\(app)")
    let cookie = try #require(browser.cookies.first { $0.key.hasSuffix("onside_browser") }?.value)
    let token = HMAC<SHA256>.authenticationCode(
      for: Data("csrf:\(cookie):".utf8), using: forger.secrets.keys(for: "page-forms").current)
    try await browser.post(
      "/shop/\(app)/buy",
      fields: [
        "csrf": Base64URL.encode(Array(token)), "product_id": "gold", "order_id": UUID().uuidString, "country": "NL",
      ])
    return Int(browser.status?.code ?? 0)
  }

  /// Sends a provider's event with a signature of the forger's.
  private static func reportForged(
    by forger: StoreCore, _ world: InterfaceWorld, _ client: any TestClientProtocol
  ) async throws -> Int {
    let route = try #require(world.application.routes.map(\.route).first { $0.caller == .provider })
    var probe = world.probe(route)
    probe.headers[.sandboxSignature] = SandboxSignature.of(Array(probe.body.utf8), key: forger.sandboxProviderKey)
    return Int(try await probe.send(client).status.code)
  }

  @Test("STO-18: a challenge that a leaked signing key has made is rejected, and stellar.toml has another key")
  func wallet() async throws {
    let store = try await LoginStore()
    let forger = try #require(try await Self.forger(of: store.store).wallet)
    try await store.test { client in
      let wallet = TestWallet()
      let key = try await wallet.rules(client).server
      var answers: [HTTPResponse.Status] = []
      for isLeaked in [false, true] {
        let challenge = try forger.challenge(for: MuxedAccount(wallet.pair.account), .token)
        // Signed by the rules of the stellar.toml that the wallet knew.
        let rules = try WebAuthentication(
          homeDomain: wallet.domain, information: forger.information, network: wallet.network)
        let signed = try rules.sign(
          challenge.envelope.base64, for: MuxedAccount(wallet.pair.account), with: wallet.pair,
          now: UInt64(store.store.clock.now().timeIntervalSince1970))
        if isLeaked { try await store.store.core.secrets.replaceLeaked() }
        let answer = try await client.execute(
          uri: "/v1/wallet/auth", method: .post, headers: [.contentType: "application/json"],
          body: ByteBuffer(bytes: try WireCoding.encoder().encode(WalletAnswerMessage(transaction: signed))))
        answers.append(answer.status)
      }
      #expect(answers == [.ok, .badRequest])
      let other = try await wallet.rules(client).server
      #expect(other != key)
    }
  }

  @Test("STO-18: sessions, unused authorization codes and logins in progress end; a code that waits is not sent")
  func sessions() async throws {
    let store = try await LoginStore()
    let database = store.store.core.dependencies.database
    try await store.test { client in
      let (owner, other, waiting) = (Browser(client), Browser(client), Browser(client))
      try await store.logIn(owner)
      let tokens = try await store.tokens(client)
      let row = try #require(try await database.read { try $0.row("SELECT * FROM sessions") })
      let forged = SessionRefreshToken.make(
        session: try row.text("id"), generation: try row.integer("generation"), secret: try row.blob("secret"))
      #expect(forged == tokens.refreshToken)
      for browser in [other, waiting] {
        try await browser.get(LoginStore.authorize())
        let phone = browser === other ? "+31612345681" : "+31612345682"
        try await browser.submit(store.attempt(browser), with: ["phone": phone])
        if browser === other { _ = try await store.code(phone) }
      }
      let sent = store.inbox.messages.count
      try await store.store.core.secrets.replaceLeaked()
      store.store.clock.advance(by: .seconds(1))
      await store.messages.deliverDue()
      #expect(store.inbox.messages.count == sent)
      let refreshed = try await LoginStore.token(client, parameters: LoginStore.refresh(forged))
      #expect(refreshed.status == .badRequest)
      let exchanged = try await LoginStore.token(
        client, parameters: LoginStore.exchange(try #require(owner.answer["code"])))
      #expect(exchanged.status == .badRequest)
      try await other.submit("/code", with: ["code": try #require(store.inbox.messages.last?.code)])
      #expect(other.leftFor == nil && (other.status?.code ?? 0) >= 400)
      try await owner.get("/account")
      #expect(owner.path.contains("/login"))
      try await store.logIn(Browser(client))
    }
  }

  @Test("STO-18: a leak ends sessions without an update of their rows; later rotations leave them ended")
  func rows() async throws {
    let store = try await LoginStore()
    let (core, database) = (store.store.core, store.store.core.dependencies.database)
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      let before = try await store.tokens(client)
      let row = try #require(try await database.read { try $0.row("SELECT account_id FROM sessions") })
      let account = try #require(AccountID(try row.text("account_id")))
      try await core.secrets.replaceLeaked()
      let left = try await database.read { connection in
        try ["sessions WHERE revoked_at IS NULL", "web_sessions"].map { table in
          try connection.row("SELECT count(*) AS number FROM \(table)")?.integer("number")
        }
      }
      #expect(left == [1, 2])
      var listed = try await core.logins.sessions.all(of: account)
      #expect(listed.isEmpty)
      store.store.clock.advance(by: .seconds(1))
      let after = try await store.tokens(client)
      for _ in 0..<2 {
        try await core.secrets.rotate()
        store.store.clock.advance(by: .seconds(StoreSecrets.startDelay + StoreSecrets.overlap))
      }
      listed = try await core.logins.sessions.all(of: account)
      #expect(listed.count == 2)
      for (tokens, status) in [(before, HTTPResponse.Status.badRequest), (after, .ok)] {
        let answer = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken))
        #expect(answer.status == status)
      }
      try await browser.get("/account")
      #expect(browser.path.contains("/login"))
    }
  }

  @Test("STO-18: the sessions that a leak ended are not loaded into memory; one that ends later is")
  func memory() async throws {
    let store = try await LoginStore()
    let core = store.store.core
    try await store.test { client in
      let (first, second) = (try await store.tokens(client), try await store.tokens(client))
      try await core.secrets.replaceLeaked()
      store.store.clock.advance(by: .seconds(1))
      let third = try await store.tokens(client)
      try await core.sessions.revoke(third.refreshToken, clientID: "io.example.lumen")
      let ids = [first, second, third].map { String($0.refreshToken.split(separator: ".")[0]) }
      #expect(ids.map(core.revokedSessions.contains) == [false, false, true])
    }
  }
}
