import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Stripe: many charges in one second", .timeLimit(.minutes(20)))
struct StripeCrowdTests {
  /// More than the outbox takes in one round, and more than Stripe takes in one second.
  private static let count = ProcessInfo.processInfo.environment["ONSIDE_CROWD"].flatMap { Int($0) } ?? 130

  @Test("charges that are all due at once are spread as Stripe asks: none is lost, none is made twice")
  func spread() async throws {
    try await StripeStore.run { shop in
      let saved = try await shop.save()
      let orders = try await Self.orders(of: shop, payingWith: saved)
      #expect(shop.stripe.payments.isEmpty)
      let refused = Self.refusals(shop)
      let perSecond = max(40, Self.count / 100)
      shop.stripe.limit(to: perSecond)
      var seconds = 0
      while try await shop.store.core.outboxStatus().waiting > 0, seconds < 600 {
        try await shop.later(1)
        seconds += 1
      }
      #expect(shop.stripe.payments.map(\.successfulCharges) == Array(repeating: 1, count: orders.count))
      // As fast as Stripe takes them, and after the first refusal of a second no further calls but those under way.
      #expect(seconds <= orders.count / perSecond + 3)
      #expect(Self.refusals(shop) - refused <= seconds * PaymentOutboxKind.concurrency)
      shop.stripe.unlimit()
      try await shop.later(60)
      for order in orders { #expect(try await Self.isPaid(order, of: shop)) }
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
      try await Self.hear(shop)
      let secondBookFaults = try await shop.store.bookFaults()
      #expect(secondBookFaults == [])
    }
  }

  /// Orders whose charges Stripe refuses to take for now.
  private static func orders(
    of shop: StripeStore, payingWith saved: SavedPaymentMethod
  ) async throws -> [UUID] {
    shop.stripe.limit(to: 0)
    let (core, customer) = (shop.store.core, customer(of: shop))
    let request = OrderRequest(
      productID: "coins", country: try TestShop.country("NL"), quantity: 1, appAccountToken: nil)
    var orders: [UUID] = []
    for _ in 0..<count {
      let order = try await core.orders.create(request, id: shop.store.freshID(), for: customer)
      let token = core.payments.tokens.token(orderID: order.id)
      let outcome = try await core.payments.pay(token, with: .saved(saved.id), shownPrice: order.price)
      #expect(outcome == .pending)
      orders.append(order.id)
    }
    return orders
  }

  private static func customer(of shop: StripeStore) -> Customer {
    Customer(account: shop.shopper.accountID, app: TestShop.app.id)
  }

  private static func isPaid(_ order: UUID, of shop: StripeStore) async throws -> Bool {
    try await shop.store.core.orders.order(order, of: customer(of: shop)).state.stage == .paid
  }

  private static func refusals(_ shop: StripeStore) -> Int { shop.stripe.requests.count { $0.status == 429 } }

  /// What Stripe tells of it all, which changes nothing.
  private static func hear(_ shop: StripeStore) async throws {
    var statuses: [Int] = []
    repeat { statuses = try await shop.tell() } while !statuses.isEmpty
    let waiting = try await shop.store.core.dependencies.database.read {
      try OutboxRecords().status(known: shop.store.core.outbox.kinds, at: shop.store.clock.now(), in: $0)
    }
    #expect(waiting.waiting == 0)
  }
}
