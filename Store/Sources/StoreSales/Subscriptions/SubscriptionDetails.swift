public import Foundation
public import OnsideCommerce
public import StoreAccounts
public import StoreBase
import StorePayments

/// A subscription as support sees it: where it stands, and how it came there.
public struct SubscriptionDetails: Sendable {
  /// The method that renewals are charged to.
  public struct Method: Sendable, Hashable {
    /// The provider that is asked.
    public let provider: String
    /// What the account calls it, such as `Visa 4242`; the provider's id where no more is known.
    public let name: String
    /// True if the account has saved it for other purchases, too.
    public let isSaved: Bool
  }

  /// A consent to its renewals.
  public struct Consent: Sendable, Hashable {
    /// When it was given.
    public let date: Date
    /// The product of the plan.
    public let product: String
    /// The highest regular price of one renewal.
    public let price: Money
    /// How it was given: `payment_page`, `subscription_page` (also on the page of payment methods, or on the page of an
    /// order), `notice`, `lower` or `earlier`.
    public let way: String
    /// Who gave it: `account`, `payer` (without the account's login) or `unknown`.
    public let giver: String
  }

  /// One order of the subscription, with what happened to its money.
  public struct Step: Sendable {
    /// The period that the order pays: counted from 1 for an account in a group.
    public let period: Int
    /// The order. Of several orders for a period one is paid at most.
    public let order: OrderListing
    /// The tries to pay it with their refusals, and what went back, the oldest first.
    public let events: [PurchaseStory.Event]
  }

  /// Whose it is, and its state.
  public let listing: SubscriptionListing
  /// What decides about it.
  public let machine: SubscriptionMachine
  /// Its payment method; nil without one.
  public let method: Method?
  /// The id of a dispute that is open about one of its payments: nothing is charged before its end.
  public let dispute: String?
  /// The prices of which the account was told or asked, the oldest first.
  public let prices: [PriceChange]
  /// The consents to its renewals, the oldest first.
  public let consents: [Consent]
  /// Its orders, the oldest first.
  public let walk: [Step]

  /// The subscription of a key; nil when there never was one.
  public init?(of key: SubscriptionKey, in connection: any SQLConnection) throws {
    guard let subscription = try SubscriptionRecords.subscription(key, in: connection) else { return nil }
    listing = SubscriptionListing(subscription)
    machine = subscription.machine
    method = try subscription.method.flatMap {
      try PaymentMethodRecords.method($0, of: key.account, in: connection)
    }.map(Method.init)
    dispute = try DisputeRecords.open(of: key, in: connection)?.id
    prices = try PriceChangeRecords.changes(of: key, in: connection)
    consents = try SubscriptionConsentRecords.all(of: key, in: connection).map {
      Consent(date: $0.givenAt, product: $0.product, price: $0.price, way: $0.way.rawValue, giver: $0.giver.rawValue)
    }
    walk = try SubscriptionRecords.orders(of: key, in: connection).compactMap { number, id in
      try Step(period: number, order: id, in: connection)
    }
  }
}

extension SubscriptionDetails.Method {
  fileprivate init(_ method: SavedPaymentMethod) {
    (provider, isSaved) = (method.provider, method.isSaved)
    name = method.details.name
  }
}

extension SubscriptionDetails.Step {
  fileprivate init?(period: Int, order id: UUID, in connection: any SQLConnection) throws {
    guard let listing = try OrderListing.order(id.lowercase, in: connection) else { return nil }
    self.init(period: period, order: listing, events: try PurchaseStory.money(of: id, in: connection))
  }
}
