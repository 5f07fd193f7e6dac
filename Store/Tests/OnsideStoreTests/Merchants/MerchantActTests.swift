import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales
@testable import StoreWeb

@Suite("Acts of merchants' servers", .timeLimit(.minutes(5)))
struct MerchantActTests {
  private static let day: TimeInterval = 86_400

  private func fields(_ response: TestResponse) throws -> [String: PayloadValue] {
    try response.message([String: PayloadValue].self)
  }

  @Test("MER-10: a refund of a part, and one of the rest, which revokes the purchase")
  func refund() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let server = try await ActingServer(shopper)
      let part = try await server.act(
        .merchantRefund, order.id.description, #"{"amount":100,"reason":"SUPPORT"}"#, key: "a")
      #expect(part.status == .created && part.headers[.contentType] == "application/json")
      let partFields = try fields(part)
      #expect(partFields["amount"] == .integer(100) && partFields["reason"] == .text("SUPPORT"))
      let rest = try await server.act(.merchantRefund, order.id.description, key: "b")
      #expect(rest.status == .created)
      let refunds = try await shopper.store.core.refunds.refunds(of: order.id.uuid)
      #expect(refunds.map(\.amount.minorUnits).sorted() == [100, 399])
      let restFields = try fields(rest)
      let ids = Set([partFields["id"], restFields["id"]])
      #expect(ids == Set(refunds.map { Optional(PayloadValue.text($0.id)) }))
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
    }
  }

  @Test("MER-10: a rejected act is a 409 with the reason, changes nothing, and leaves its idempotency key unused")
  func rejected() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let server = try await ActingServer(shopper)
      let tooMuch = try await server.act(.merchantRefund, order.id.description, #"{"amount":500}"#, key: "a")
      let problem = try tooMuch.problem()
      #expect(problem.code == .actRejected && tooMuch.status == .conflict)
      #expect(problem.detail?.hasPrefix("Expected an amount above nothing and up to 4.99 EUR") == true)
      let none = try await shopper.store.core.refunds.refunds(of: order.id.uuid)
      #expect(none.isEmpty)
      let whole = try await server.act(.merchantRefund, order.id.description, key: "a")
      #expect(whole.status == .created)
      let again = try await server.act(.merchantRefund, order.id.description, key: "b")
      let code = try again.problem().code
      #expect(again.status == .conflict && code == .actRejected)
    }
  }

  @Test("MER-10: a grant of a product, and of a revoked order")
  func grant() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads", token: "user-1")
      let server = try await ActingServer(shopper)
      let coins = try await server.act(
        .merchantGrant, shopper.subject(), #"{"product_id":"coins","cause":"ticket 4711"}"#, key: "a")
      #expect(coins.status == .created)
      let granted = try fields(coins)
      #expect(granted["product_id"] == .text("coins") && granted["price"] == .integer(0))
      #expect(granted["grant_cause"] == .text("operator") && granted["subject"] == .text(shopper.subject()))
      let request = #"{"product_id":"remove_ads","reinstates":"\#(order.id)"}"#
      let early = try await server.act(.merchantGrant, shopper.subject(), request, key: "b")
      #expect(early.status == .conflict)
      try await shopper.store.core.refunds.refund(order.id.uuid, because: .refund)
      let other = try await server.act(
        .merchantGrant, shopper.subject(), #"{"product_id":"coins","reinstates":"\#(order.id)"}"#, key: "c")
      #expect(other.status == .conflict)
      let again = try await server.act(.merchantGrant, shopper.subject(), request, key: "b")
      #expect(again.status == .created)
      let reinstates = try fields(again)["reinstates"]
      #expect(reinstates == .text(order.id.description))
      let restorable = try await shopper.restorable()
      #expect(restorable.map(\.reason) == [.grant])
      let unsold = try await server.act(.merchantGrant, shopper.subject(), #"{"product_id":"gems"}"#, key: "d")
      let code = try unsold.problem().code
      #expect(unsold.status == .unprocessableContent && code == .productNotAvailable)
    }
  }

  @Test("MER-10: a subscription is extended by its order, and stopped twice; an order without a subscription is 404")
  func subscription() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      let server = try await ActingServer(shopper)
      let id = subscriber.purchase.id
      let extended = try await server.act(.merchantExtension, id.description, #"{"days":3}"#, key: "a")
      #expect(extended.status == .ok)
      let extendedFields = try fields(extended)
      let expected = (end + 3 * Self.day).ISO8601Format()
      #expect(extendedFields["expires_at"] == .text(expected) && extendedFields["will_renew"] == .bool(true))
      for key in ["b", "c"] {
        let stopped = try await server.act(.merchantStop, id.description, key: key)
        #expect(stopped.status == .ok)
        let willRenew = try fields(stopped)["will_renew"]
        #expect(willRenew == .bool(false))
      }
      let order = try await shopper.order(id)
      #expect(order.expiresAt == end + 3 * Self.day)
      let coins = try await shopper.buy("coins")
      let none = try await server.act(.merchantStop, coins.id.description, key: "d")
      #expect(none.status == .notFound)
    }
  }

  @Test(
    "MER-10: a repetition has the same status and body and changes nothing, also a day later; another request is 422")
  func repetition() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let subscription = try await shopper.subscribe().purchase
      let server = try await ActingServer(shopper)
      let acts: [(route: Route, object: String, body: String, other: String)] = [
        (.merchantRefund, order.id.description, #"{"amount":100}"#, #"{"amount":101}"#),
        (.merchantGrant, shopper.subject(), #"{"product_id":"coins"}"#, #"{"product_id":"season"}"#),
        (.merchantExtension, subscription.id.description, #"{"days":3}"#, #"{"days":4}"#),
      ]
      for (route, object, body, other) in acts {
        let first = try await server.act(route, object, body, key: route.path)
        try await shopper.store.core.deliverOutbox()
        shopper.store.clock.advance(by: .seconds(Self.day))
        let second = try await server.act(route, object, " " + body, key: route.path)
        #expect(second.status == first.status && second.body == first.body, "\(route.path)")
        let reused = try await server.act(route, object, other, key: route.path)
        let code = try reused.problem().code
        #expect(reused.status == .unprocessableContent && code == .idempotencyKeyReused, "\(route.path)")
      }
      let refunds = try await shopper.store.core.refunds.refunds(of: order.id.uuid)
      #expect(refunds.map(\.amount.minorUnits) == [100])
      let grants = try await shopper.sync().orders.filter { $0.reason == .grant }
      #expect(grants.map(\.product.id) == ["coins"])
      let end = try #require(subscription.expiresAt)
      let extended = try await shopper.order(subscription.id)
      #expect(extended.expiresAt == end + 3 * Self.day)
    }
  }

  @Test("MER-10: equal requests at once act once and have the same answer", arguments: TestEngine.allCases)
  func concurrent(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    let database = try await engine.open(in: folder)
    let store = try await TestStore(in: folder, database: database)
    try await store.shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let subscription = try await shopper.subscribe().purchase
      let server = try await ActingServer(shopper)
      func answers(_ route: Route, _ object: String, _ body: String) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self) { group in
          for _ in 0..<8 {
            group.addTask {
              let answer = try await server.act(route, object, body, key: route.path)
              return "\(answer.status.code) \(String(buffer: answer.body))"
            }
          }
          return try await group.reduce(into: []) { $0.insert($1) }
        }
      }
      let parts = try await answers(.merchantRefund, order.id.description, #"{"amount":100}"#)
      #expect(parts.count == 1 && parts.first?.hasPrefix("201") == true, "\(parts)")
      let grants = try await answers(.merchantGrant, shopper.subject(), #"{"product_id":"season"}"#)
      #expect(grants.count == 1 && grants.first?.hasPrefix("201") == true, "\(grants)")
      let extensions = try await answers(.merchantExtension, subscription.id.description, #"{"days":3}"#)
      #expect(extensions.count == 1 && extensions.first?.hasPrefix("200") == true, "\(extensions)")
      let refunds = try await shopper.store.core.refunds.refunds(of: order.id.uuid)
      #expect(refunds.map(\.amount.minorUnits) == [100])
      let granted = try await shopper.sync().orders.filter { $0.reason == .grant }
      #expect(granted.count == 1)
      let end = try #require(subscription.expiresAt)
      let extended = try await shopper.order(subscription.id)
      #expect(extended.expiresAt == end + 3 * Self.day)
      let done = try await shopper.store.acts().filter { $0.outcome == .done }.map(\.act.name)
      #expect(done.sorted() == ["grant", "refund", "subscription extend"])
    }
    await database.close()
  }

  @Test("MER-10: an act whose transaction cannot store its answer changes nothing")
  func rolledBack() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let server = try await ActingServer(shopper)
      try await shopper.store.core.dependencies.database.write {
        try $0.execute("ALTER TABLE idempotency_answers RENAME COLUMN answer TO lost")
      }
      let failed = try await server.act(.merchantRefund, order.id.description, key: "a")
      #expect(failed.status == .internalServerError)
      let refunds = try await shopper.store.core.refunds.refunds(of: order.id.uuid)
      #expect(refunds.isEmpty)
    }
  }

  @Test("MER-10: an order and a customer of another app, and unknown ones, are 404")
  func notFound() async throws {
    let store = try await TestStore()
    let other = App(id: "io.example.tideline", name: "Tideline", redirectURIs: [])
    try await store.core.apps.register(other)
    try await store.shop { shopper in
      let order = try await shopper.buy("remove_ads").id.description
      let subscription = try await shopper.subscribe().purchase.id.description
      let server = try await ActingServer(shopper)
      let foreign = try await ActingServer(shopper, app: other.id)
      let unknown = store.freshID().uuidString.lowercased()
      let acts: [(route: Route, object: String, unknown: String, body: String)] = [
        (.merchantRefund, order, unknown, "{}"), (.merchantExtension, subscription, unknown, #"{"days":3}"#),
        (.merchantStop, subscription, unknown, "{}"),
        (.merchantGrant, shopper.subject(), String(repeating: "a", count: 43), #"{"product_id":"coins"}"#),
      ]
      for (route, object, unknown, body) in acts {
        let ofOther = try await foreign.act(route, object, body, key: route.path)
        let missing = try await server.act(route, unknown, body, key: route.path)
        #expect(ofOther.status == .notFound && missing.status == .notFound, "\(route.path)")
      }
      let outcomes = Set(try await store.acts().map(\.outcome))
      #expect(outcomes == [.failed])
    }
  }

  @Test("MER-10: a request without a valid idempotency key, or with a value out of range, is 400")
  func invalid() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads").id.description
      let server = try await ActingServer(shopper)
      for key in [nil, "two words", "é", String(repeating: "a", count: 201)] {
        let answer = try await server.act(.merchantRefund, order, key: key)
        let code = try answer.problem().code
        #expect(answer.status == .badRequest && code == .idempotencyKeyMissing, "\(key ?? "none")")
      }
      let values: [(route: Route, object: String, body: String)] = [
        (.merchantRefund, order, #"{"amount":0}"#), (.merchantRefund, order, #"{"reason":"CHARGEBACK"}"#),
        (.merchantExtension, order, #"{"days":0}"#), (.merchantExtension, order, "{}"), (.merchantStop, order, "[]"),
        (.merchantGrant, shopper.subject(), #"{"product_id":"coins","cause":""}"#),
      ]
      for (route, object, body) in values {
        let answer = try await server.act(route, object, body, key: "a")
        let code = try answer.problem().code
        #expect(answer.status == .badRequest && code == .invalidRequest, "\(body)")
      }
    }
  }

  @Test("MER-10: each act has an audit row with the key's id; so has a rejected one, and one without the scope, a 403")
  func audited() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("remove_ads").id.description, shopper.store)
      let server = try await ActingServer(shopper)
      let reader = try await ActingServer(shopper, scopes: [.read, .finance])
      let done = try await server.act(.merchantRefund, order, #"{"amount":100}"#, key: "a")
      #expect(done.status == .created)
      store.clock.advance(by: .seconds(1))
      let rejected = try await server.act(.merchantRefund, order, #"{"amount":500}"#, key: "b")
      #expect(rejected.status == .conflict)
      store.clock.advance(by: .seconds(1))
      let forbidden = try await reader.act(.merchantStop, order, key: "c")
      let code = try forbidden.problem().code
      #expect(forbidden.status == .forbidden && code == .forbidden)
      let entries = try await store.acts()
      #expect(entries.map(\.outcome) == [.failed, .failed, .done])
      #expect(entries.map(\.act.name) == ["subscription stop", "refund", "refund"])
      #expect(entries.map(\.act.operatorName) == [reader.key.id, server.key.id, server.key.id])
      #expect(entries.allSatisfy { $0.act.access == .key && $0.act.subject == order })
      let arguments = entries.last?.act.arguments
      #expect(arguments == ["amount": "100", "app": TestShop.app.id, "idempotency_key": "a"])
      let scope = "Expected an API key with the scope support; \(reader.key.id) has read,finance."
      #expect(entries.first?.error == scope)
    }
  }

  @Test("Answers are deleted after three days, and those about an account with the account; a refund is not repeated")
  func retention() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("remove_ads").id.description, shopper.store)
      let server = try await ActingServer(shopper)
      let first = try await server.act(.merchantRefund, order, #"{"amount":100}"#, key: "a")
      _ = try await server.act(.merchantGrant, shopper.subject(), #"{"product_id":"coins"}"#, key: "b")
      func keys() async throws -> [String] {
        try await store.core.dependencies.database.read {
          try $0.rows("SELECT idempotency_key FROM idempotency_answers ORDER BY idempotency_key").map {
            try $0.text("idempotency_key")
          }
        }
      }
      let both = try await keys()
      #expect(both == ["a", "b"])
      _ = try await store.removeAccount(shopper.accountID)
      let ofRefund = try await keys()
      #expect(ofRefund == ["a"])
      let second = try await server.act(.merchantRefund, order, #"{"amount":100}"#, key: "a")
      #expect(second.status == .created && second.body == first.body)
      let retention = IdempotencyRetention(store.core.dependencies.base)
      store.clock.advance(by: .seconds(3 * Self.day))
      try await retention.clear()
      let kept = try await keys()
      #expect(kept == ["a"])
      store.clock.advance(by: .seconds(1))
      try await retention.clear()
      let none = try await keys()
      #expect(none.isEmpty)
    }
  }
}
