public import Foundation

/// A wish to buy a product (contract, section 1.4).
public struct OnsidePayment: Sendable, Hashable, Codable {
  /// What to buy.
  public var product: OnsideProduct
  /// The app's own name for its user, at most 512 bytes of UTF-8; it comes back byte for byte in the transaction and
  /// the signed history.
  public var appAccountToken: String?

  /// Makes a payment for one of a product.
  public init(product: OnsideProduct) { self.product = product }
}

/// Where a transaction stands.
public enum OnsidePaymentTransactionState: String, Sendable, Hashable, Codable {
  /// On its way: waiting, or being paid.
  case purchasing
  /// Paid; deliver and finish.
  case purchased
  /// Owned already and brought back by a restore; deliver and finish.
  case restored
  /// Will never be paid; see `error`, then finish.
  case failed
}

/// Why a transaction is given to an observer. An addition to the published API, so that an app can tell a purchase that
/// its user just made from everything else.
public struct OnsideDeliveryReason: RawRepresentable, Sendable, Hashable, Codable {
  /// The reason's name.
  public let rawValue: String

  /// Makes a reason from its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Bought on this device, in this launch.
  public static let new = OnsideDeliveryReason(rawValue: "new")
  /// Was delivered before, in an earlier launch or to another observer, and not finished.
  public static let redelivered = OnsideDeliveryReason(rawValue: "redelivered")
  /// Brought back by a restore.
  public static let restored = OnsideDeliveryReason(rawValue: "restored")
  /// A subscription's next period.
  public static let renewed = OnsideDeliveryReason(rawValue: "renewed")
  /// Bought on another device, on the web, or given by support. A consumable is delivered on the device that ordered
  /// it; another one gets it once that device has not reached the store for five minutes (the store's
  /// `delivery_lease`). If it was only offline, it delivers it as well: a server that grants by
  /// `transactionIdentifier` grants once.
  public static let elsewhere = OnsideDeliveryReason(rawValue: "elsewhere")
}

/// A snapshot of one transaction (contract, section 1.4).
public struct OnsidePaymentTransaction: Sendable, Hashable, Identifiable {
  /// Made once; the same across launches and redeliveries.
  public let id: UUID
  /// The store's order, once there is one.
  public let transactionIdentifier: String?
  /// The original order of a restored or renewed purchase; otherwise the same as ``transactionIdentifier``.
  public let originalTransactionIdentifier: String?
  /// What was asked for.
  public let payment: OnsidePayment
  /// Where it stands.
  public let transactionState: OnsidePaymentTransactionState
  /// The region it runs in.
  public let storefront: OnsideStorefront
  /// Why it failed; only with `.failed`.
  public let error: OnsidePaymentTransactionError?
  /// Why it is delivered. An addition to the published API.
  public let deliveryReason: OnsideDeliveryReason
  /// When it was added or, for a purchase made elsewhere, ordered. An addition to the published API.
  public let date: Date
  /// When it was paid. An addition to the published API.
  public let purchaseDate: Date?
  /// When the subscription period that it paid for ends. An addition to the published API.
  public let expirationDate: Date?
  /// When it was refunded or revoked; the entitlement ends then. An addition to the published API.
  public let revocationDate: Date?
  /// The store's signed record of this one purchase, a compact JWS. An addition to the published API.
  public let signedPurchase: String?

  /// Makes a snapshot.
  public init(
    id: UUID, transactionIdentifier: String?, originalTransactionIdentifier: String?, payment: OnsidePayment,
    transactionState: OnsidePaymentTransactionState, storefront: OnsideStorefront,
    error: OnsidePaymentTransactionError? = nil, deliveryReason: OnsideDeliveryReason = .new, date: Date,
    purchaseDate: Date? = nil, expirationDate: Date? = nil, revocationDate: Date? = nil, signedPurchase: String? = nil
  ) {
    self.id = id
    self.transactionIdentifier = transactionIdentifier
    self.originalTransactionIdentifier = originalTransactionIdentifier
    self.payment = payment
    self.transactionState = transactionState
    self.storefront = storefront
    self.error = error
    self.deliveryReason = deliveryReason
    self.date = date
    self.purchaseDate = purchaseDate
    self.expirationDate = expirationDate
    self.revocationDate = revocationDate
    self.signedPurchase = signedPurchase
  }

  /// Whether both are snapshots of the same transaction.
  public func isSame(as another: OnsidePaymentTransaction) -> Bool { id == another.id }
}
