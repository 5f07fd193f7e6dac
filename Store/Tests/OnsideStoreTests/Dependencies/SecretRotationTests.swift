import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

/// Rotations of the store's secret that overlap.
@Suite("A rotated secret", .timeLimit(.minutes(5)))
struct SecretRotationTests {
  /// The time from a rotation until its secret is used.
  private static let untilUse: Duration = .seconds(StoreSecrets.startDelay)

  @Test("STO-18: an open session, payment page and form outlive a rotation, and end a day later")
  func overlap() async throws {
    let shop = try await ShopStore()
    let (store, core) = (shop.store, shop.store.core)
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      try await browser.get("/account")
      try await core.secrets.rotate()
      store.clock.advance(by: Self.untilUse)
      #expect(core.secrets.current.number == 2)
      let account = try await client.execute(
        uri: "/v1/account", method: .get, headers: [.authorization: "Bearer \(tokens.accessToken)"])
      #expect(account.status == .ok)
      try await browser.submit("/account/sessions", with: ["end": "others"])
      #expect(browser.status == .ok)
      try await browser.get(order.path)
      #expect(browser.status == .ok && core.payments.tokens.token(orderID: order.id.uuid) != order.path.dropFirst(5))
      store.clock.advance(by: .seconds(StoreSecrets.overlap))
      #expect(core.secrets.valid.map(\.number) == [2])
      try await browser.get(order.path)
      #expect(browser.status == .notFound)
      try await browser.get("/pay/\(core.payments.tokens.token(orderID: order.id.uuid))")
      #expect(browser.status != .notFound)
      try await browser.get("/account")
      #expect(browser.path == "/account", "the browser's session does not depend on the secret")
    }
  }

  @Test("STO-18: until its first use, processes that have not read the new secret accept what is made")
  func start() async throws {
    let store = try await TestStore()
    let other = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
    try await store.core.secrets.rotate()
    store.clock.advance(by: Self.untilUse - .seconds(1))
    func token(_ core: StoreCore) -> String {
      core.accessToken.issue(accountID: "a", appID: "b", sessionID: "c", now: store.clock.now())
    }
    #expect(other.core.accessToken.verify(token(store.core), now: store.clock.now()) != nil)
    store.clock.advance(by: .seconds(1))
    #expect(other.core.accessToken.verify(token(store.core), now: store.clock.now()) == nil)
    #expect(store.core.accessToken.verify(token(other.core), now: store.clock.now()) != nil)
    try await other.core.caches.reloadChanged()
    #expect(other.core.accessToken.verify(token(store.core), now: store.clock.now()) != nil)
  }

  @Test("STO-18: a number that is used again with another secret, after a failover that lost commits, has other keys")
  func lostNumber() async throws {
    let store = try await TestStore()
    let (core, database) = (store.core, store.core.dependencies.database)
    try await core.secrets.rotate()
    store.clock.advance(by: Self.untilUse)
    let now = store.clock.now()
    let lost = core.accessToken.issue(accountID: "a", appID: "b", sessionID: "c", now: now)
    let secret = core.dependencies.random.token(bytes: 32)
    try await database.write { connection in
      try connection.execute("UPDATE store_secrets SET secret = $1 WHERE number = 2", [.text(secret)])
    }
    try await core.secrets.reload()
    #expect(core.accessToken.verify(lost, now: now) == nil)
    let other = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
    let token = core.accessToken.issue(accountID: "a", appID: "b", sessionID: "c", now: now)
    #expect(other.core.accessToken.verify(token, now: now) != nil)
  }

  @Test("STO-18: a code that was requested before a rotation is sent and accepted after it, and no second code is")
  func code() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      try await store.store.core.secrets.rotate()
      store.store.clock.advance(by: Self.untilUse)
      let code = try await store.code("+31612345689")
      let id = try #require(store.inbox.messages.last?.id)
      let other = store.logins.codeGenerator.current.code(for: id)
      #expect(other != code)
      try await browser.submit("/code", with: ["code": other])
      #expect(browser.status == .unprocessableContent)
      try await browser.submit("/code", with: ["code": code])
      #expect(browser.path.hasSuffix("/region"))
    }
  }

  @Test("STO-18: a login at an OpenID provider keeps its nonce and verifier across a rotation")
  func openID() async throws {
    let store = try await LoginStore()
    let core = store.store.core
    let requests = OpenIDRequests(
      database: core.dependencies.database, random: core.dependencies.random, keys: core.secrets.keys(for: "openid"),
      address: core.address)
    let attempt = try await store.logins.begin(.web(next: "/"), browser: "b", language: .english)
    let question = try #require(try await requests.begin(attempt, provider: "example"))
    try await core.secrets.rotate()
    store.store.clock.advance(by: Self.untilUse)
    let taken = try #require(try await requests.take(question.state, of: attempt, provider: "example"))
    #expect(taken.verifier == question.verifier && taken.nonce == question.nonce)
    let later = try await store.logins.begin(.web(next: "/"), browser: "b", language: .english)
    let other = try #require(try await requests.begin(later, provider: "example"))
    #expect(core.secrets.secret(at: later.expiresAt - LoginAttempt.lifetime).number == 2 && other.nonce != taken.nonce)
  }

  @Test("STO-18: hashes in rows keep their key in both rotations; ended secrets are deleted by the next one")
  func permanent() async throws {
    let store = try await TestStore()
    let secrets = store.core.secrets
    let known = secrets.permanentKey(for: "renewal-ids")
    for _ in 0..<3 {
      try await secrets.rotate()
      store.clock.advance(by: .seconds(StoreSecrets.startDelay + StoreSecrets.overlap))
    }
    let rows = try await store.core.dependencies.database.read { try StoreSecretRecords.all(in: $0).map(\.number) }
    #expect(rows == [4, 3] && secrets.valid.map(\.number) == [4])
    try await secrets.replaceLeaked()
    let left = try await store.core.dependencies.database.read { try StoreSecretRecords.all(in: $0).map(\.number) }
    #expect(left == [5] && secrets.permanentKey(for: "renewal-ids") == known)
    let restarted = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
    #expect(restarted.core.secrets.valid.map(\.number) == [5])
    #expect(restarted.core.secrets.permanentKey(for: "renewal-ids") == known)
  }
}
