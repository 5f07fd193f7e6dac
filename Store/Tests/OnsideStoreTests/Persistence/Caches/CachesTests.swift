import Dispatch
import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("What one process changes and another one keeps in memory", .timeLimit(.minutes(5)))
struct CachesTests {
  /// The query of each look.
  private static let look = "SELECT name, number FROM revisions"

  /// Two processes of one store, which is open.
  fileprivate struct Pair: Sendable {
    let here: TestStore
    let there: TestStore
    /// What `there` asks its database.
    let statements: ObservedDatabase

    init(_ engine: TestEngine) async throws {
      let folder = try TemporaryFolder()
      here = try await TestStore(in: folder, database: engine.open(in: folder))
      there = try await TestStore(
        in: folder, clock: here.clock, seed: 2, database: engine.open(in: folder), isObserved: true)
      statements = try #require(there.core.dependencies.database as? ObservedDatabase)
      try await here.openShop()
      try await there.core.caches.reloadChanged()
      _ = statements.takeStatements()
    }

    /// What `there` reads in one look, but the look itself.
    func reloadChanged() async throws -> [String] {
      try await there.core.caches.reloadChanged()
      let read = statements.takeStatements().map(\.sql)
      #expect(read.contains(look))
      return read.filter { $0 != look }
    }

    func close() async {
      for store in [here, there] { await store.core.dependencies.database.close() }
    }
  }

  @Test("is read by one query when nothing has changed", arguments: TestEngine.allCases)
  func nothing(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    let reloadChanged = try await pair.reloadChanged()
    #expect(reloadChanged.isEmpty)
    await pair.close()
  }

  @Test("An app: it is there after one look, and gone after another one", arguments: TestEngine.allCases)
  func app(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    try await pair.here.core.apps.register(App(id: "io.example.b", name: "B", redirectURIs: []))
    #expect(pair.there.core.apps.app("io.example.b") == nil)
    let reloadChanged = try await pair.reloadChanged()
    #expect(reloadChanged == ["SELECT * FROM apps"])
    #expect(pair.there.core.apps.app("io.example.b") != nil)
    try await pair.here.core.apps.remove("io.example.b")
    let secondReloadChanged = try await pair.reloadChanged()
    #expect(secondReloadChanged == ["SELECT * FROM apps"])
    #expect(pair.there.core.apps.app("io.example.b") == nil)
    let thirdReloadChanged = try await pair.reloadChanged()
    #expect(thirdReloadChanged.isEmpty)
    await pair.close()
  }

  @Test("A price: it is the new one after one look", arguments: TestEngine.allCases)
  func price(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    try await pair.here.raisePrice(of: "coins", to: 199)
    let read = try await pair.reloadChanged()
    #expect(read.count == 2 && read.allSatisfy { $0.contains("FROM catalogues") || $0.contains("FROM products") })
    let coins = pair.there.core.catalogue.product("coins", of: TestShop.app.id)
    let netherlands = try TestShop.country("NL")
    #expect(coins?.price(in: netherlands)?.minorUnits == 199)
    await pair.close()
  }

  @Test("A rotated key: it signs after one look", arguments: TestEngine.allCases)
  func key(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    pair.here.clock.advance(by: .seconds(600))
    try await pair.here.core.signingKeys.rotate()
    let read = try await pair.reloadChanged()
    #expect(read.count == 1 && read.allSatisfy { $0.contains("FROM signing_keys") })
    let signing = try pair.there.core.signingKeys.active().id
    let rotated = try pair.here.core.signingKeys.active().id
    #expect(signing == rotated)
    await pair.close()
  }

  @Test("STO-18: a leaked secret: its tokens are rejected after one look", arguments: TestEngine.allCases)
  func leakedSecret(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    let (here, there, now) = (pair.here.core, pair.there.core, pair.here.clock.now())
    let token = there.accessToken.issue(accountID: "a", appID: "b", sessionID: "c", now: now)
    try await here.secrets.replaceLeaked()
    #expect(here.accessToken.verify(token, now: now) == nil && there.accessToken.verify(token, now: now) != nil)
    let read = try await pair.reloadChanged()
    #expect(read.count == 1 && read.allSatisfy { $0.contains("FROM store_secrets") })
    #expect(there.accessToken.verify(token, now: now) == nil)
    let other = there.accessToken.issue(accountID: "a", appID: "b", sessionID: "c", now: now)
    #expect(here.accessToken.verify(other, now: now) != nil)
    await pair.close()
  }

  @Test("The sandbox's clock: it shows the same time after one look, and again after it was set back")
  func clock() async throws {
    for engine in TestEngine.allCases {
      let pair = try await Pair(engine)
      try await SandboxClockSetting(pair.here.core.dependencies.base).advance(by: 86400)
      let read = try await pair.reloadChanged()
      #expect(read.count == 1 && read.allSatisfy { $0.contains("FROM settings") })
      #expect(pair.there.core.dependencies.clock.now() == pair.here.core.dependencies.clock.now())
      try await SandboxClockSetting(pair.here.core.dependencies.base).reset()
      _ = try await pair.reloadChanged()
      #expect(pair.there.core.dependencies.clock.offsetMilliseconds == 0)
      await pair.close()
    }
  }

  @Test(
    "ACC-14: tokens of a process that has not read a move of the sandbox's clock are good where it was moved",
    arguments: TestEngine.allCases)
  func movedClock(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    let (here, there) = (pair.here.core, pair.there.core)
    let account = try #require(AccountID(try await pair.here.account()))
    let clock = here.dependencies.clock
    let grant = try await here.dependencies.database.write(at: clock.now()) { transaction in
      try SessionRecords.open(
        "s", account: account, appID: TestShop.app.id, device: nil, secret: [1], in: transaction)
    }
    try await SandboxClockSetting(here.dependencies.base).advance(by: 86_400)
    let refreshed = try await there.sessions.refresh(
      try #require(grant).refreshToken, clientID: TestShop.app.id)
    let refreshedToken = try #require(refreshed).accessToken
    #expect(here.accessToken.verify(refreshedToken, now: clock.now()) != nil)
    try await SandboxClockSetting(here.dependencies.base).advance(by: 86_400)
    let verifier = String(repeating: "v", count: 43)
    let request = AuthorizationRequest(
      clientID: TestShop.app.id, redirectURI: "a://b", codeChallenge: verifier.sha256Base64URL, state: "")
    try await here.dependencies.database.write(at: clock.now()) {
      try AuthorizationCodeRecords.insert("c", request: request, account: account, device: nil, in: $0)
    }
    let first = try await there.sessions.exchange(
      CodeRedemption(code: "c", clientID: TestShop.app.id, redirectURI: "a://b", verifier: verifier))
    let firstToken = try #require(first).accessToken
    #expect(here.accessToken.verify(firstToken, now: clock.now()) != nil)
    await pair.close()
  }

  /// The ways in which sessions end.
  enum Ending: CaseIterable { case revocation, reuse, page, all }

  @Test(
    "A session that ended: its access token is refused after one look", arguments: Ending.allCases, TestEngine.allCases)
  func session(ending: Ending, engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    let here = pair.here.core
    let account = try #require(AccountID(try await pair.here.account()))
    let now = here.dependencies.clock.now()
    let grant = try await here.dependencies.database.write(at: now) { transaction in
      try SessionRecords.open(
        "s", account: account, appID: TestShop.app.id, device: nil, secret: [1], in: transaction)
    }
    let token = try #require(grant).refreshToken
    let reloadChanged = try await pair.reloadChanged()
    #expect(reloadChanged.isEmpty)
    switch ending {
    case .revocation: try await here.sessions.revoke(token, clientID: TestShop.app.id)
    case .reuse:
      // The first token of three is an old one.
      var newest = token
      for _ in 0..<2 {
        let next = try await here.sessions.refresh(newest, clientID: TestShop.app.id)
        newest = try #require(next).refreshToken
      }
      let answer = try await here.sessions.refresh(token, clientID: TestShop.app.id)
      #expect(answer == nil)
    case .page: try await here.logins.sessions.end("app:s", of: account)
    case .all:
      let browser = WebSession(token: "t", account: try #require(grant).account, createdAt: now, usedAt: now)
      try await here.logins.sessions.endAll(of: account, but: browser, browserHash: "b")
    }
    #expect(!pair.there.core.revokedSessions.contains("s"))
    let read = try await pair.reloadChanged()
    #expect(read.count == 1 && read.allSatisfy { $0.contains("FROM sessions") })
    #expect(pair.there.core.revokedSessions.contains("s"))
    await pair.close()
  }

  @Test(
    "A session that ended is known for longer than a token of it lives, by the clocks of both processes",
    arguments: TestEngine.allCases)
  func differingClocks(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    let account = try await pair.here.account()
    let now = pair.here.clock.now()
    try await pair.here.core.dependencies.database.write(at: now) { transaction in
      let id = try #require(AccountID(account))
      _ = try SessionRecords.open("s", account: id, appID: TestShop.app.id, device: nil, secret: [1], in: transaction)
      try SessionRecords.revoke("s", in: transaction)
    }
    pair.here.clock.advance(by: .seconds(AccessTokenIssuer.lifetime + 2 * ClockDifference.refusalThreshold - 1))
    _ = try await pair.reloadChanged()
    #expect(pair.there.core.revokedSessions.contains("s"))
    await pair.close()
  }

  @Test(
    "A purchase raises no revision, and asks for none while the last look is a second old",
    arguments: TestEngine.allCases)
  func purchase(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    let before = try await pair.here.core.dependencies.database.read { try RevisionRecords.all(in: $0) }
    try await pair.shopThere { shopper in
      pair.here.clock.advance(by: .seconds(1))
      let order = try await shopper.buy("remove_ads")
      #expect(!pair.statements.takeStatements().contains { $0.sql.contains("revisions") })
      let outcome = try await shopper.finish(order.id)
      #expect(outcome == .noContent)
      try await shopper.store.core.orders.refund(order.id.uuid, because: .support)
      try await shopper.store.settle()
    }
    let after = try await pair.here.core.dependencies.database.read { try RevisionRecords.all(in: $0) }
    #expect(after == before)
    await pair.close()
  }

  @Test(
    "An old price is not sold at for more than a second, though nothing was taken over", arguments: TestEngine.allCases)
  func oldPrice(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    try await pair.shopThere { shopper in
      try await pair.here.raisePrice(of: "coins", to: 199)
      let cheap = try await shopper.order("coins")
      #expect(cheap.price.amount == 99)
      pair.here.clock.advance(by: .milliseconds(1001))
      let amount = try await shopper.order("coins").price.amount
      #expect(amount == 199)
      try await pair.here.raisePrice(of: "coins", to: 299)
      pair.here.clock.advance(by: .milliseconds(1001))
      let newPrice = try TestShop.money(299)
      let refusal = try await shopper.pay(cheap, with: .succeeds)
      #expect(refusal == .priceChanged(newPrice))
      // What was taken from sale is not sold either.
      try await pair.here.core.catalogue.replace(try Catalogue(products: []), of: TestShop.app.id)
      pair.here.clock.advance(by: .milliseconds(1001))
      let outcome = try await shopper.pay(cheap, with: .succeeds)
      #expect(outcome == .closed)
    }
    await pair.close()
  }

  @Test(
    "An order that waits for its write while prices are read again is made at the new one",
    arguments: TestEngine.allCases)
  func waitingOrder(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    try await pair.shopThere { shopper in
      let database = pair.there.core.dependencies.database.once
      try await pair.here.raisePrice(of: "coins", to: 199)
      let (held, begins) = AsyncStream.makeStream(of: Void.self)
      let mayEnd = DispatchSemaphore(value: 0)
      async let writing: Void = database.write { _ in
        begins.finish()
        mayEnd.wait()
      }
      for await _ in held {}
      async let order = shopper.order("coins")
      try await until("the order to wait for its write") { database.waitingWrites > 0 }
      _ = try await pair.reloadChanged()
      mayEnd.signal()
      try await writing
      let amount = try await order.price.amount
      #expect(amount == 199)
    }
    await pair.close()
  }

  @Test("A fault in one does not keep the others old", arguments: TestEngine.allCases)
  func fault(engine: TestEngine) async throws {
    let pair = try await Pair(engine)
    try await pair.here.core.apps.register(App(id: "io.example.b", name: "B", redirectURIs: []))
    try await pair.here.core.dependencies.database.write {
      try $0.execute("UPDATE apps SET redirect_uris = 'none'")
    }
    try await pair.here.raisePrice(of: "coins", to: 199)
    await #expect(throws: DecodingError.self) { try await pair.there.core.caches.reloadChanged() }
    let coins = pair.there.core.catalogue.product("coins", of: TestShop.app.id)
    let netherlands = try TestShop.country("NL")
    #expect(coins?.price(in: netherlands)?.minorUnits == 199)
    await pair.close()
  }

  @Test("A revision is not used again, also when a restored database is older, and when the clock is")
  func revisions() async throws {
    let store = try await TestStore()
    let early = store.clock.now()
    func raised(at now: Date) async throws -> Int64 {
      try await store.core.dependencies.database.write(at: now) { transaction in
        try RevisionRecords.raise(.apps, in: transaction)
        return try #require(try RevisionRecords.revision(of: .apps, in: transaction))
      }
    }
    let first = try await raised(at: early)
    let actualRaised = try await raised(at: early)
    #expect(actualRaised == first + 1)
    let secondRaised = try await raised(at: early - 3600)
    #expect(secondRaised == first + 2)
    let thirdRaised = try await raised(at: early + 3600)
    #expect(thirdRaised == first + 3_600_000)
  }
}

extension CachesTests.Pair {
  /// A customer of the other process.
  fileprivate func shopThere(_ body: @escaping @Sendable (Shopper) async throws -> Void) async throws {
    let account = try await there.account()
    let store = there
    try await store.test { client in
      try await body(Shopper(store: store, client: client, accountID: account, country: "NL"))
    }
  }
}
