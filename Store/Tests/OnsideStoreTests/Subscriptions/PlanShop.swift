import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// A shop of plans of one group, ranked as in the cases of `docs/subscriptions.md`, and a clock that stands on
/// 10 January 2026.
enum PlanShop {
  /// - Parameters:
  ///   - prices: other prices by product, in cents.
  ///   - graceDays: the grace period of all plans.
  static func catalogue(_ prices: [String: Int64] = [:], graceDays: Int? = nil) throws -> Catalogue {
    let (nl, de) = (try TestShop.country("NL"), try TestShop.country("DE"))
    let trial = Offer(
      id: "trial", kind: .introductory, mode: .freeTrial, period: .oneWeek, periodCount: 1, prices: [:])
    func plan(_ id: String, level: Int, _ period: Period = .oneMonth, price: Int64, offers: [Offer] = []) -> Product {
      let price = prices[id] ?? price
      return Product(
        id: id, kind: .autoRenewableSubscription, referenceName: id,
        prices: [
          nl: Money(minorUnits: price, currency: .eur), de: Money(minorUnits: price + 50, currency: .eur),
        ],
        subscription: Subscription(
          groupID: "plans", groupName: "Plans", level: level, period: period, offers: offers, graceDays: graceDays))
    }
    return try Catalogue(products: [
      plan("small", level: 3, price: 499, offers: [trial]), plan("basic", level: 2, price: 999),
      plan("other", level: 2, price: 1099), plan("yearly", level: 2, .oneYear, price: 5999),
      plan("pro", level: 1, price: 1999), plan("max", level: 1, price: 2999),
    ])
  }

  /// Sells the plans to one account.
  static func open(
    country: String = "NL", _ body: @escaping @Sendable (Shopper) async throws -> Void
  ) async throws {
    let start = try #require(RFC3339.date("2026-01-10T00:00:00Z"))
    let store = try await TestStore(clock: ManualClock(start))
    try await store.shop(country: country) { shopper in
      try await store.core.catalogue.replace(try catalogue(), of: TestShop.app.id)
      try await body(shopper)
    }
  }
}

extension Shopper {
  /// Buys a plan on a page that says that it renews.
  @discardableResult
  func take(_ plan: String, with card: SandboxCard = .succeeds, isOwners: Bool = true) async throws -> OrderMessage {
    let order = try await order(plan)
    _ = try await agree(to: order, with: card, isOwners: isOwners)
    return try await self.order(order.id)
  }

  /// Pays an order on a page that says that it renews.
  ///
  /// - Parameter isOwners: whether the buyer is logged in to the account; only then the card is saved.
  func agree(
    to order: OrderMessage, with card: SandboxCard = .succeeds, isOwners: Bool = true
  ) async throws -> PaymentOutcome {
    let token = try #require(order.paymentURL?.lastPathComponent)
    return try await store.core.payments.pay(
      token, with: .offered(card.rawValue, save: isOwners, keep: true), shownPrice: order.price.money,
      isOwners: isOwners)
  }

  /// Subscribes to a plan.
  func subscribe(to plan: String, isOwners: Bool = true) async throws -> Subscriber {
    let purchase = try await take(plan, isOwners: isOwners)
    #expect(purchase.state == .paid)
    return Subscriber(shopper: self, purchase: purchase)
  }

  /// What has gone back of an order, in cents, by the refunds that have not failed.
  func givenBack(_ order: OrderID) async throws -> [Int64] {
    try await store.core.refunds.refunds(of: order.uuid).filter { $0.state != .failed && !$0.isSurplus }
      .map(\.amount.minorUnits)
  }
}

extension Subscriber {
  var account: Account {
    get async throws {
      let id = try #require(AccountID(shopper.accountID))
      let known = try await shopper.store.core.dependencies.database.read {
        try AccountRecords.account(id: id, in: $0)
      }
      return try #require(known)
    }
  }

  /// Chooses a plan on the account page, where it costs so many cents.
  func choose(_ plan: String, at price: Int64) async throws -> PlanChoice {
    try await shopper.store.core.subscriptions.choosePlan(
      plan, shownPrice: Money(minorUnits: price, currency: .eur), language: "en", of: key)
  }
}

extension String {
  /// The midnight of a day of 2026, such as `02-20`.
  var midnight: Date? { RFC3339.date("2026-\(self)T00:00:00Z") }
}
