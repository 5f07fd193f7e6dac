import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales
@testable import StoreWeb

@Suite("Histories for merchants' servers", .timeLimit(.minutes(5)))
struct MerchantHistoryTests {
  @Test("MER-1: a server gets the signed history of the one order that it names, as the app's history has it")
  func history() async throws {
    try await TestStore().shop { shopper in
      let merchant = try await shopper.store.merchant()
      let order = try await shopper.buy("remove_ads", token: "user-1")
      try await shopper.buy("coins")
      let answer = try await shopper.history(of: order.id, by: merchant)
      #expect(answer.status == .ok && answer.headers[.contentType] == "application/jose")
      let purchases = try await shopper.verify(String(buffer: answer.body)).transactions
      let own = try await shopper.verify(try await shopper.history()).transactions
      #expect(purchases == own.filter { $0.orderID == order.id.uuid } && purchases.count == 1)
      #expect(purchases.first?.appAccountToken == "user-1" && purchases.first?.subject != nil)
    }
  }

  @Test("MER-1: what is not a valid JWT is 401 and says what was expected; the order is not looked up")
  func rejections() async throws {
    try await TestStore().shop { shopper in
      let merchant = try await shopper.store.merchant()
      let now = shopper.store.clock.now()
      let time = Int(now.timeIntervalSince1970)
      let key = try await shopper.store.core.apiKeys.add(app: TestShop.app.id, name: "", scopes: [.read])
      let rejected: [(token: String?, word: String)] = [
        (nil, "Bearer"), (shopper.token, "three parts"), (key.text, "three parts"),
        (merchant.token(at: now, kid: "00112233445566ff"), "kid"), (merchant.token(at: now, key: "x"), "signature"),
        (merchant.token(at: now, changing: ["sub": #""x""#]), "sub"),
        (merchant.token(at: now, changing: ["aud": #""x""#]), "aud"),
        (merchant.token(at: now, changing: ["iss": #""x""#]), "iss"),
        (merchant.token(at: now, changing: ["exp": "\(time + 21)"]), "31 s"),
        (merchant.token(at: now - 60), "exp is 40 s before the store's time \(now.ISO8601Format())"),
        (merchant.token(at: now + 60), "nbf is 50 s after the store's time \(now.ISO8601Format())"),
        (String(repeating: "a", count: 5000), "4096"),
      ]
      for order in [try await shopper.buy("coins").id.description, shopper.store.freshID().lowercase] {
        for (token, word) in rejected {
          let answer = try await TestMerchant.history(of: order, token: token, with: shopper.client)
          let problem = try answer.problem()
          #expect(answer.status == .unauthorized && problem.code == .invalidMerchantToken, "\(word)")
          #expect(problem.detail?.contains(word) == true, "\(word): \(problem.detail ?? "-")")
          #expect(answer.headers[.wwwAuthenticate] == "Bearer")
        }
      }
    }
  }

  @Test("MER-1: a JWT opens no other route that takes a token")
  func otherRoutes() async throws {
    let world = try await InterfaceWorld(unlimited: true)
    let merchant = try await world.store.merchant(of: InterfaceWorld.otherApp)
    try await world.test { client in
      let routes = world.application.routes.map(\.route).filter { [.account, .apiKey].contains($0.caller) }
      #expect(routes.count > 10)
      for route in routes {
        var probe = world.probe(route)
        probe.bearer(merchant.token(at: world.store.clock.now()))
        let status = try await probe.send(client).status
        #expect(status == .unauthorized, "\(route.name)")
      }
    }
  }

  @Test("MER-1: a jti is accepted once, also for another order; it is deleted after its JWT has expired")
  func once() async throws {
    try await TestStore().shop { shopper in
      let (store, merchant) = (shopper.store, try await shopper.store.merchant())
      let orders = [try await shopper.buy("coins").id, try await shopper.buy("coins").id]
      let token = merchant.token(id: "a", at: store.clock.now())
      var statuses: [HTTPResponse.Status] = []
      for order in orders { statuses.append(try await shopper.history(of: order, token: token).status) }
      #expect(statuses == [.ok, .unauthorized])
      let later = merchant.token(id: "a", at: store.clock.now() + 1)
      let problem = try await shopper.history(of: orders[0], token: later).problem()
      #expect(problem.detail == "The jti was used before. Make a JWT for each request.")
      store.advance(by: .seconds(81))
      let next = try await shopper.history(of: orders[0], by: merchant).status
      #expect(next == .ok)
      let rows = try await store.core.dependencies.database.read { try $0.rows("SELECT * FROM merchant_token_ids") }
      #expect(rows.count == 1)
    }
  }

  @Test("MER-1: of equal JWTs that come at the same time to two processes one is accepted")
  func race() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      let other = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
      let merchant = try await store.merchant()
      let order = try await shopper.buy("coins").id.description
      try await other.test { second in
        for _ in 0..<5 {
          let token = merchant.token(at: store.clock.now())
          let statuses: [HTTPResponse.Status] = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for client in [shopper.client, second, shopper.client, second] {
              group.addTask { try await TestMerchant.history(of: order, token: token, with: client).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
          }
          #expect(statuses.count { $0 == .ok } == 1 && statuses.count { $0 == .unauthorized } == 3)
        }
      }
    }
  }

  @Test("MER-1: an order of another app is 403; an unknown, unpaid or malformed one is 404")
  func otherOrders() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      try await store.core.apps.register(App(id: "io.example.other", name: "Other", redirectURIs: []))
      let other = try await store.merchant(of: "io.example.other")
      let (paid, open) = (try await shopper.buy("coins").id, try await shopper.order("coins").id)
      for order in [paid, open] {
        let problem = try await shopper.history(of: order, by: other).problem()
        #expect(problem.status == 403 && problem.code == .forbidden)
      }
      let merchant = try await store.merchant()
      for order in [open.description, store.freshID().lowercase, "none"] {
        let token = merchant.token(at: store.clock.now())
        let answer = try await TestMerchant.history(of: order, token: token, with: shopper.client)
        let problem = try answer.problem()
        #expect(problem.status == 404 && problem.code == .notFound, "\(order)")
      }
    }
  }

  @Test("MER-1: for each order of a subscription the history has all of them, the newest last, and nothing else")
  func chain() async throws {
    try await TestStore().shop { shopper in
      let merchant = try await shopper.store.merchant()
      try await shopper.buy("coins")
      let subscriber = try await shopper.subscribe()
      try await subscriber.pass(days: 65)
      let renewals = try await subscriber.renewals().map(\.id)
      #expect(renewals.count == 2)
      let expected = [subscriber.purchase.id.uuid] + renewals
      for order in expected {
        let answer = try await shopper.history(of: OrderID(order), by: merchant)
        let purchases = try await shopper.verify(String(buffer: answer.body)).transactions
        #expect(purchases.map(\.orderID) == expected)
        #expect(purchases.allSatisfy { $0.originalOrderID == expected[0] })
      }
    }
  }

  @Test("MER-1: the history of a purchase has the grants that replace it and its grants")
  func grants() async throws {
    try await TestStore().shop { shopper in
      let (store, merchant) = (shopper.store, try await shopper.store.merchant())
      var orders: [OrderID] = []
      for _ in 0..<3 {
        orders.append(try await shopper.buy("coins").id)
        store.advance(by: .seconds(1))
      }
      for (original, grant) in zip(orders, orders.dropFirst()) {
        try await store.core.dependencies.database.write {
          try $0.execute(
            "UPDATE orders SET reinstates = $2 WHERE id = $1", [.text(grant.description), .text(original.description)])
        }
      }
      for order in orders {
        let answer = try await shopper.history(of: order, by: merchant)
        let purchases = try await shopper.verify(String(buffer: answer.body)).transactions
        #expect(purchases.map(\.orderID) == orders.map(\.uuid))
      }
    }
  }

  @Test("MER-1: requests with the JWTs of one app are limited; another app has a limit of its own")
  func limit() async throws {
    let store = try await TestStore { $0.limits.perKey = RateLimit(perSecond: 1, burst: 2) }
    try await store.shop { shopper in
      try await store.core.apps.register(App(id: "io.example.other", name: "Other", redirectURIs: []))
      let (merchant, other) = (try await store.merchant(), try await store.merchant(of: "io.example.other"))
      let order = try await shopper.buy("coins").id
      var statuses: [HTTPResponse.Status] = []
      for caller in [merchant, merchant, merchant, other] {
        statuses.append(try await shopper.history(of: order, by: caller).status)
      }
      #expect(statuses == [.ok, .ok, .tooManyRequests, .forbidden])
    }
  }

  @Test("MER-1: a duplicate has the history of the purchase for which it stands, a refund included")
  func duplicate() async throws {
    try await TestStore().shop { shopper in
      let merchant = try await shopper.store.merchant()
      let owned = try await shopper.buy("remove_ads")
      let duplicate = try await shopper.order("remove_ads")
      #expect(duplicate.duplicateOf == owned.id)
      try await shopper.store.core.orders.refund(owned.id.uuid, because: .support)
      let answer = try await shopper.history(of: duplicate.id, by: merchant)
      let purchases = try await shopper.verify(String(buffer: answer.body)).transactions
      #expect(purchases.map(\.orderID) == [owned.id.uuid])
      #expect(purchases.first?.revocation?.reason == .support)
    }
  }

  @Test("MER-1: the order of a removed account has neither pseudonym nor token")
  func removedAccount() async throws {
    try await TestStore().shop { shopper in
      let merchant = try await shopper.store.merchant()
      let order = try await shopper.buy("remove_ads", token: "user-1")
      #expect(try await shopper.store.removeAccount(shopper.accountID))
      let answer = try await shopper.history(of: order.id, by: merchant)
      let purchase = try #require(try await shopper.verify(String(buffer: answer.body)).transactions.first)
      #expect(purchase.orderID == order.id.uuid && purchase.subject == nil && purchase.appAccountToken == nil)
    }
  }

  @Test("MER-1: JWTs have the machine's time, also in a sandbox whose clock was advanced")
  func sandboxClock() async throws {
    try await TestStore().shop { shopper in
      let merchant = try await shopper.store.merchant()
      let order = try await shopper.buy("coins").id
      try await SandboxClockSetting(shopper.store.core.dependencies.base).advance(by: 40 * 86_400)
      let status = try await shopper.history(of: order, by: merchant).status
      #expect(status == .ok)
    }
  }
}

extension Shopper {
  /// Requests the history of an order with a JWT.
  func history(of order: OrderID, token: String) async throws -> TestResponse {
    try await TestMerchant.history(of: order.description, token: token, with: client)
  }

  /// Requests the history of an order as a merchant's server.
  func history(of order: OrderID, by merchant: TestMerchant) async throws -> TestResponse {
    try await history(of: order, token: merchant.token(at: store.clock.now()))
  }
}
