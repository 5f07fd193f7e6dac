public import Foundation
public import OnsideCommerce

/// What the logged-in account may use in this app, or could: a lasting product, or the last paid period of a
/// subscription. An addition to the published API.
///
/// They come from ``Onside/entitlements`` and ``Onside/entitlementUpdates``, out of a list that the store has signed.
/// Consumables and non-renewing subscriptions are not among them: the app counts those itself, when it delivers them.
public struct OnsideEntitlement: Sendable {
  /// Whether the account may use it, as of the moment at which the app got this value. ``Onside/entitlementUpdates``
  /// has a new value when that changes.
  public let isActive: Bool
  /// When it was refunded or revoked; `nil` while it stands.
  public let revocationDate: Date?
  let entitlement: Entitlement
  /// The time in which it may be used, by this device's clock; without an end for none.
  let usable: (from: Date, until: Date?)

  init(_ entitlement: Entitlement, isActive: Bool, usable: (from: Date, until: Date?)) {
    self.entitlement = entitlement
    // Stored: Swift 6.3 cannot optimize a caller that reads it out of the entitlement.
    let revocation = entitlement.revocation
    revocationDate = revocation?.date
    self.isActive = isActive
    self.usable = usable
  }

  /// Makes an entitlement that is active or not at any time, for an app's own tests and previews.
  public init(
    productIdentifier: String, productType: ProductKind, subscriptionGroupIdentifier: String? = nil,
    transactionIdentifier: UUID = UUID(), purchaseDate: Date, expirationDate: Date? = nil,
    gracePeriodExpirationDate: Date? = nil, willAutoRenew: Bool? = nil, isActive: Bool
  ) {
    entitlement = Entitlement(
      productID: productIdentifier, productType: productType, subscriptionID: subscriptionGroupIdentifier,
      orderID: transactionIdentifier, purchaseDate: purchaseDate, expiresAt: expirationDate,
      graceUntil: gracePeriodExpirationDate, willRenew: willAutoRenew)
    revocationDate = nil
    self.isActive = isActive
    usable = (.distantPast, isActive ? nil : .distantPast)
  }

  /// Whether the account may use it at a moment of this device's clock.
  ///
  /// What lasts is active for as long as the store's list may be used, which is 90 days without a newer one: do not
  /// keep a value for longer. While the clock is set back by more than an hour in all nothing is active, until the
  /// store has been reached.
  public func isActive(at date: Date) -> Bool {
    date >= usable.from && usable.until.map { date < $0 } ?? true
  }

  /// The product.
  public var productIdentifier: String { entitlement.productID }
  /// The kind of the product: non-consumable or auto-renewable subscription.
  public var productType: ProductKind { entitlement.productType }
  /// The subscription group, of which an account has one entitlement; `nil` for one-time products.
  public var subscriptionGroupIdentifier: String? { entitlement.subscriptionID }
  /// The store's identifier of the purchase that gives it: of a subscription the one that paid the last period.
  public var transactionIdentifier: String { entitlement.orderID.uuidString.lowercased() }
  /// The first purchase of the chain of renewals; otherwise the same as ``transactionIdentifier``.
  public var originalTransactionIdentifier: String { entitlement.originalOrderID.uuidString.lowercased() }
  /// When that purchase was paid, by the store's clock.
  public var purchaseDate: Date { entitlement.purchaseDate }
  /// When the paid period ends, by the store's clock; `nil` for what lasts.
  public var expirationDate: Date? { entitlement.expiresAt }
  /// Until when access goes on behind ``expirationDate``, because the next payment is being made, or has failed and is
  /// tried again; `nil` otherwise. Which of them, ``Onside/subscriptionStatus(group:)`` tells.
  public var gracePeriodExpirationDate: Date? { entitlement.graceUntil }
  /// Whether the subscription renews by itself; `nil` for one-time products.
  public var willAutoRenew: Bool? { entitlement.willRenew }
  /// What the app attached to the payment, byte for byte.
  public var appAccountToken: String? { entitlement.appAccountToken }
}

extension OnsideEntitlement: Hashable, Identifiable {
  /// The same as ``originalTransactionIdentifier``, which stays over renewals.
  public var id: String { originalTransactionIdentifier }

  /// Whether both say the same of a purchase; how long the list may be used makes no difference.
  public static func == (one: OnsideEntitlement, other: OnsideEntitlement) -> Bool {
    one.entitlement == other.entitlement && one.isActive == other.isActive
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entitlement)
    hasher.combine(isActive)
  }
}
