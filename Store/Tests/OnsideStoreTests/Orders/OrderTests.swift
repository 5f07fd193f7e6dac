import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Orders", .timeLimit(.minutes(5)))
struct OrderTests {
  private func request(_ product: String = "coins", token: String? = nil) throws -> OrderRequest {
    OrderRequest(productID: product, country: try TestShop.country("NL"), appAccountToken: token)
  }

  @Test("STO-1: the same key and request give one order and the same bytes, also after payment and a price change")
  func replay() async throws {
    try await TestStore().shop { shopper in
      let key = shopper.store.freshID()
      let first = try await shopper.tryOrder(try request(), key: key)
      let again = try await shopper.tryOrder(try request(), key: key)
      #expect(first.status == .created)
      #expect(again.status == .created)
      #expect(again.body == first.body)
      let order = try first.message(OrderMessage.self)
      #expect(order.id.uuid == key)
      #expect(order.state == .open)
      let money = try TestShop.money(99)
      #expect(order.price == PriceMessage(money, formatted: "€ 0,99") || order.price.amount == 99)
      try await shopper.store.raisePrice(of: "coins", to: 199)
      _ = try await shopper.pay(order, with: .succeeds)
      var shown = order
      shown.price = PriceMessage(try TestShop.money(199), formatted: "")
      let outcome = try await shopper.pay(shown, with: .succeeds)
      #expect(outcome == .paid)
      let body = try await shopper.tryOrder(try request(), key: key).body
      #expect(body == first.body)
    }
  }

  @Test("STO-1: the same key with another request is refused, field by field")
  func reuse() async throws {
    try await TestStore().shop { shopper in
      let key = shopper.store.freshID()
      let original = OrderRequest(
        productID: "coins", country: try TestShop.country("NL"), quantity: 2, appAccountToken: "a", language: "de")
      let status = try await shopper.tryOrder(original, key: key).status
      #expect(status == .created)
      var changed = [OrderRequest](repeating: original, count: 5)
      changed[0].productID = "season"
      changed[1].quantity = 3
      changed[2].appAccountToken = nil
      changed[3].language = "nl"
      changed[4].country = try TestShop.country("DE")
      for other in changed {
        let answer = try await shopper.tryOrder(other, key: key)
        #expect(answer.status == .unprocessableContent)
        let code = try answer.problem().code
        #expect(code == .idempotencyKeyReused)
      }
    }
  }

  @Test("STO-1: a key of another account is refused, and says nothing about that account's order")
  func foreignKey() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins", token: "secret-of-another")
      var other = shopper
      other = Shopper(
        store: shopper.store, client: shopper.client, accountID: try await shopper.store.account(), country: "NL")
      let answer = try await other.tryOrder(try request(token: "secret-of-another"), key: order.id.uuid)
      let code = try answer.problem().code
      #expect(code == .idempotencyKeyReused)
      #expect(!String(buffer: answer.body).contains("secret-of-another"))
      let secondCode = try await other.get("/v1/orders/\(order.id)").problem().code
      #expect(secondCode == .notFound)
      let thirdCode = try await other.post("/v1/orders/\(order.id)/cancel").problem().code
      #expect(thirdCode == .notFound)
      let fourthCode = try await other.post("/v1/orders/\(order.id)/finish").problem().code
      #expect(fourthCode == .notFound)
    }
  }

  @Test("STO-1: a missing or malformed key is refused", arguments: [nil, "", "1", "not-a-uuid"])
  func missingKey(key: String?) async throws {
    try await TestStore().shop { shopper in
      let body = String(decoding: try WireCoding.encoder().encode(try request()), as: UTF8.self)
      let answer = try await shopper.post("/v1/orders", body: body, key: key)
      #expect(answer.status == .badRequest)
      let code = try answer.problem().code
      #expect(code == .idempotencyKeyMissing)
    }
  }

  @Test("STO-1: fifty requests at once with one key make one order, and all get the same answer")
  func concurrent() async throws {
    try await TestStore().shop { shopper in
      let key = shopper.store.freshID()
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<50 {
          group.addTask { String(buffer: try await shopper.tryOrder(try request(), key: key).body) }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(answers.count == 1)
      let count = try await shopper.store.core.dependencies.database.read {
        try $0.row("SELECT count(*) AS count FROM orders")?.integer("count")
      }
      #expect(count == 1)
    }
  }

  @Test(
    "QUE-18: the app's own name for its user comes back byte for byte, in the order, the receipt and the history",
    arguments: [
      "", "plain", #"quote " backslash \ slash / "#, "\u{1}\u{1f}\n\t\u{7f}\u{2028}", "é e\u{301} \u{1F600}",
      String(repeating: "x", count: 512),
    ])
  func accountToken(token: String) async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("coins", token: token)
      #expect(order.appAccountToken.map { Array($0.utf8) } == Array(token.utf8))
      for jws in [try #require(order.receipt), try await shopper.history()] {
        let purchases = try TransactionHistory.decoded(fromPayloadOf: jws).transactions
        #expect(purchases.map { $0.appAccountToken.map { Array($0.utf8) } } == [Array(token.utf8)])
      }
    }
  }

  @Test("QUE-18: a name with U+0000 is refused")
  func accountTokenWithNull() async throws {
    try await TestStore().shop { shopper in
      let answer = try await shopper.tryOrder(try request(token: "user\u{0}4711"), key: shopper.store.freshID())
      #expect(answer.status == .badRequest)
      let code = try answer.problem().code
      #expect(code == .invalidRequest)
    }
  }

  @Test("QUE-18: a name of more than 512 bytes is refused, counted in bytes")
  func longAccountToken() async throws {
    try await TestStore().shop { shopper in
      let token = String(repeating: "é", count: 256) + "x"
      let answer = try await shopper.tryOrder(try request(token: token), key: shopper.store.freshID())
      #expect(answer.status == .unprocessableContent)
      let code = try answer.problem().code
      #expect(code == .appAccountTokenTooLong)
    }
  }

  @Test("QUE-18: a name with U+0000 is 400, and nothing of the order is kept", arguments: ["\u{0}", "a\u{0}b"])
  func unkeepableAccountToken(token: String) async throws {
    try await TestStore().shop { shopper in
      let key = shopper.store.freshID()
      let answer = try await shopper.tryOrder(try request(token: token), key: key)
      #expect(answer.status == .badRequest)
      let problem = try answer.problem()
      #expect(problem.code == .invalidRequest && problem.detail?.contains("U+0000") == true)
      #expect(shopper.store.value(#"onside_orders_refused_total{reason="invalid_request"}"#) == 1)
      let status = try await shopper.tryOrder(try request(token: "a"), key: key).status
      #expect(status == .created)
    }
  }

  @Test("GAT-4: an order in another country than the account's is refused, with the account's country")
  func otherCountry() async throws {
    try await TestStore().shop { shopper in
      var request = try request("remove_ads")
      request.country = try TestShop.country("DE")
      let answer = try await shopper.tryOrder(request, key: shopper.store.freshID())
      #expect(answer.status == .conflict)
      let problem = try answer.problem()
      #expect(problem.code == .storefrontChanged)
      #expect(problem.country == "NL")
    }
  }

  @Test(
    "PRD-7: what is not sold in the account's region cannot be ordered",
    arguments: [("unknown", "NL"), ("remove_ads", "JP"), ("coins", "DE")])
  func notSold(product: String, country: String) async throws {
    try await TestStore().shop(country: country) { shopper in
      let request = OrderRequest(productID: product, country: try TestShop.country(country))
      let answer = try await shopper.tryOrder(request, key: shopper.store.freshID())
      #expect(answer.status == .unprocessableContent)
      let code = try answer.problem().code
      #expect(code == .productNotAvailable)
    }
  }

  @Test("STO-3: a price for many is exact, and an amount that no number holds is refused")
  func quantities() async throws {
    try await TestStore().shop { shopper in
      let many = try await shopper.order("coins", quantity: 1000)
      #expect(many.price.amount == 99_000 && many.quantity == 1000 && many.product.price.amount == 99)
      let actualQuantity = try await shopper.order("coins").quantity
      #expect(actualQuantity == 1)
      try await shopper.store.raisePrice(of: "coins", to: Int64.max / 2)
      var request = try request()
      request.quantity = 3
      let answer = try await shopper.tryOrder(request, key: shopper.store.freshID())
      let code = try answer.problem().code
      #expect(code == .quantityNotAvailable)
      let detail = try answer.problem().detail
      #expect(detail?.contains("quantity") == true)
    }
  }

  @Test(
    "QUE-30: the operator's list and every device of an account are told how many an order is of, also when it is taken back"
  )
  func quantityElsewhere() async throws {
    try await TestStore().shop { shopper in
      let bought = try await shopper.buy("coins", quantity: 3)
      let listed = try await shopper.store.core.dependencies.database.read {
        try OrderListing.order(bought.id.uuid.lowercase, in: $0)
      }
      #expect(listed?.quantity == 3)
      var other = shopper
      other.device = UUID()
      let first = try await other.sync()
      #expect(first.orders.map(\.id) == [bought.id] && first.orders.map(\.quantity) == [3])
      try await shopper.store.core.orders.refund(bought.id.uuid, because: .support)
      let news = try await other.sync(first.cursor).orders
      #expect(news.map(\.quantity) == [3] && news.first?.revokedAt != nil)
    }
  }

  @Test("STO-4: two of a product that is no consumable are refused by the quantity", arguments: ["remove_ads", "pro"])
  func twoOfOne(product: String) async throws {
    try await TestStore().shop { shopper in
      let request = OrderRequest(productID: product, country: .netherlands, quantity: 2)
      let answer = try await shopper.tryOrder(request, key: shopper.store.freshID())
      #expect(answer.status == .unprocessableContent)
      let problem = try answer.problem()
      #expect(problem.code == .quantityNotAvailable)
      #expect(problem.detail?.hasPrefix("Expected quantity 1, got 2: \(product) is ") == true)
    }
  }

  @Test("An order of a product that is no longer sold is still there, as it was")
  func removedProduct() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("coins")
      try await shopper.store.core.catalogue.replace(try Catalogue(products: []), of: TestShop.app.id)
      let actualOrder = try await shopper.order(order.id)
      #expect(actualOrder == order)
      let again = try await TestStore(in: shopper.store.folder, clock: shopper.store.clock)
      let customer = Customer(account: shopper.accountID, app: TestShop.app.id)
      let message = try await again.core.orders.order(order.id.uuid, of: customer).product.message
      #expect(message == order.product)
      #expect(again.core.catalogue.product("coins", of: TestShop.app.id)?.id == "coins")
    }
  }

  @Test("QUE-10: re-buying an owned non-consumable gives the existing purchase without a charge")
  func duplicate() async throws {
    try await TestStore().shop { shopper in
      let owned = try await shopper.buy("remove_ads")
      let second = try await shopper.order("remove_ads")
      #expect(second.state == .paid)
      #expect(second.duplicateOf == owned.id)
      #expect(second.receipt == owned.receipt)
      #expect(second.paymentURL == nil)
      let ledger = try await shopper.store.ledger(second.id)
      #expect(ledger.isEmpty)
      let purchases = try TransactionHistory.decoded(fromPayloadOf: try await shopper.history()).transactions
      #expect(purchases.map(\.orderID) == [owned.id.uuid])
      let outcome = try await shopper.finish(second.id)
      #expect(outcome == .noContent)
      let duplicateOf = try await shopper.buy("coins").duplicateOf
      #expect(duplicateOf == nil)
      let secondDuplicateOf = try await shopper.buy("coins").duplicateOf
      #expect(secondDuplicateOf == nil)
    }
  }

  @Test("QUE-10: two open orders of one non-consumable charge once, whichever is paid first")
  func duplicateAtPayment() async throws {
    try await TestStore().shop { shopper in
      let first = try await shopper.tryOrder(try request("remove_ads"), key: shopper.store.freshID())
      let second = try await shopper.order("remove_ads")
      _ = try await shopper.pay(second, with: .succeeds)
      let order = try first.message(OrderMessage.self)
      let outcome = try await shopper.pay(order, with: .succeeds)
      #expect(outcome == .paid)
      let duplicateOf = try await shopper.order(order.id).duplicateOf
      #expect(duplicateOf == second.id)
      let ledger = try await shopper.store.ledger(order.id)
      #expect(ledger.isEmpty)
      let body = try await shopper.tryOrder(try request("remove_ads"), key: order.id.uuid).body
      #expect(body == first.body)
    }
  }

  @Test("A subscription that is over can be bought again")
  func subscriptionEnds() async throws {
    try await TestStore().shop { shopper in
      let first = try await shopper.buy("pro")
      let paidAt = try #require(first.paidAt)
      #expect(first.expiresAt == Period.oneMonth.adding(to: paidAt))
      let duplicateOf = try await shopper.order("pro").duplicateOf
      #expect(duplicateOf == first.id)
      shopper.store.advance(by: .seconds(32 * 86400))
      let secondDuplicateOf = try await shopper.order("pro").duplicateOf
      #expect(secondDuplicateOf == nil)
    }
  }

  @Test("QUE-25: a screen that is closed gives an order up only while no browser was given its payment page")
  func screenClosed() async throws {
    try await TestStore().shop { shopper in
      func cancel(_ order: OrderMessage, reason: String) async throws -> OrderMessage {
        try await shopper.post("/v1/orders/\(order.id)/cancel?reason=\(reason)").message(OrderMessage.self)
      }
      let unseen = try await shopper.order("coins")
      let closed = try await cancel(unseen, reason: "screen_closed")
      #expect(closed.state == .cancelled && closed.cancelReason == .screenClosed)
      let open = try await shopper.order("coins")
      let token = try #require(open.paymentURL).lastPathComponent
      try await shopper.store.core.payments.pageOpened(token)
      let state = try await cancel(open, reason: "screen_closed").state
      #expect(state == .open)
      // The page is still there, and takes the payment.
      let outcome = try await shopper.pay(open, with: .succeeds)
      #expect(outcome == .paid)
      let given = try await shopper.order("coins")
      try await shopper.store.core.payments.pageOpened(try #require(given.paymentURL).lastPathComponent)
      let up = try await cancel(given, reason: "user")
      #expect(up.state == .cancelled && up.cancelReason == .user)
      let other = try await shopper.order("coins")
      let code = try await shopper.post("/v1/orders/\(other.id)/cancel?reason=expired").problem().code
      #expect(code == .invalidRequest)
    }
  }

  @Test("An open order can be given up, a paid one cannot; giving up twice is fine")
  func cancel() async throws {
    try await TestStore().shop { shopper in
      let open = try await shopper.order("coins")
      for _ in 0..<2 {
        let cancelled = try await shopper.post("/v1/orders/\(open.id)/cancel").message(OrderMessage.self)
        #expect(cancelled.state == .cancelled)
        #expect(cancelled.cancelReason == .user)
        #expect(cancelled.paymentURL == nil)
      }
      let outcome = try await shopper.pay(open, with: .succeeds)
      #expect(outcome == .closed)
      let paid = try await shopper.buy("coins")
      let state = try await shopper.post("/v1/orders/\(paid.id)/cancel").message(OrderMessage.self).state
      #expect(state == .paid)
    }
  }

  @Test("An open order expires after half an hour, not before, and cannot be paid then")
  func expiry() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      shopper.store.advance(by: .seconds(1799))
      let actualExpired = try await shopper.store.core.orders.expireOpenOrders()
      #expect(actualExpired == 0)
      shopper.store.advance(by: .seconds(1))
      let outcome = try await shopper.pay(order, with: .succeeds)
      #expect(outcome == .closed)
      let late = try await shopper.order("coins")
      shopper.store.advance(by: .seconds(1800))
      let secondExpired = try await shopper.store.core.orders.expireOpenOrders()
      #expect(secondExpired == 1)
      for id in [order.id, late.id] {
        let expired = try await shopper.order(id)
        #expect(expired.state == .cancelled)
        #expect(expired.cancelReason == .expired)
      }
    }
  }

  @Test("QUE-12: finishing is accepted twice, and refused while nothing is paid")
  func finish() async throws {
    try await TestStore().shop { shopper in
      let open = try await shopper.order("coins")
      let code = try await shopper.post("/v1/orders/\(open.id)/finish").problem().code
      #expect(code == .orderNotFinal)
      let paid = try await shopper.buy("coins")
      for _ in 0..<2 {
        let outcome = try await shopper.finish(paid.id)
        #expect(outcome == .noContent)
      }
      #expect(try await shopper.order(paid.id).finished)
    }
  }

  @Test("QUE-12: a cancelled order cannot be finished, a refunded one can")
  func finishOfEnded() async throws {
    try await TestStore().shop { shopper in
      let cancelled = try await shopper.order("coins")
      let status = try await shopper.post("/v1/orders/\(cancelled.id)/cancel").status
      #expect(status == .ok)
      let refused = try await shopper.post("/v1/orders/\(cancelled.id)/finish")
      #expect(refused.status == .conflict)
      let code = try refused.problem().code
      #expect(code == .orderNotFinal)
      #expect(try await !shopper.order(cancelled.id).finished)
      let refunded = try await shopper.buy("coins")
      try await shopper.store.core.orders.refund(refunded.id.uuid, because: .support)
      let outcome = try await shopper.finish(refunded.id)
      #expect(outcome == .noContent)
    }
  }

  @Test("An account that was removed can do nothing any more")
  func removedAccount() async throws {
    try await TestStore().shop { shopper in
      try await shopper.store.core.dependencies.database.write { try $0.execute("UPDATE accounts SET removed_at = 1") }
      let answer = try await shopper.tryOrder(try request(), key: shopper.store.freshID())
      #expect(answer.status == .unauthorized)
      let status = try await shopper.get("/v1/sync").status
      #expect(status == .unauthorized)
    }
  }
}

extension TestStore {
  func raisePrice(of product: String, to amount: Int64, _ currency: String = "EUR") async throws {
    let changed = try TestShop.catalogue().products.map { known in
      var known = known
      if known.id == product { known.prices[try TestShop.country("NL")] = try TestShop.money(amount, currency) }
      return known
    }
    try await core.catalogue.replace(try Catalogue(products: changed), of: TestShop.app.id)
  }
}

extension TransactionHistory {
  /// The payload of a compact JWS, unverified.
  static func decoded(fromPayloadOf jws: String) throws -> TransactionHistory {
    let parts = jws.split(separator: ".")
    let payload = try #require(parts.count == 3 ? Base64URL.decode(parts[1]) : nil)
    return try decoder.decode(TransactionHistory.self, from: Data(payload))
  }
}
