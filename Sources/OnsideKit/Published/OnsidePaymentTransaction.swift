public import Foundation
import OnsideAPI

/// A payment to add to the queue: the product to buy, how many, the app's token for its user and an
/// offer (contract, section 1.4).
///
/// ```swift
/// var payment = OnsidePayment(product: product)
/// payment.appAccountToken = UUID().uuidString
/// ```
///
/// Pass it to ``OnsidePaymentQueue/add(_:completion:)``.
public struct OnsidePayment: Sendable, Hashable, Codable {
  /// The product to buy, as a products request returned it. Its ``OnsideProduct/storefrontCountryCode`` decides whether
  /// the storefront gate is asked.
  public var product: OnsideProduct
  /// The app's own identifier of its user, at most 512 bytes of UTF-8; `nil` for ``Onside/appAccountToken``.
  ///
  /// It comes back byte for byte in the transaction, the signed history, the merchant API and the webhooks (QUE-18). A
  /// longer one, or one that contains U+0000, is refused before anything is enqueued: the completion gets
  /// `.rejectedAfterLogin`, and the `async` form of `add` throws ``OnsidePaymentError``.
  public var appAccountToken: String?
  /// The offer to buy it with; `nil` for the regular price, or the introductory one where the account may have it. An
  /// addition to the published API.
  public var offer: OnsidePaymentOffer?
  /// The number of units to buy in one order: 1 by default, one of ``quantities`` for a consumable, and 1 for every
  /// other product and with an ``offer``. An addition to the published API (QUE-30).
  ///
  /// The order costs the product's price times the quantity; ``product`` has the price of one. Another quantity is
  /// refused before anything is enqueued: the completion gets `.rejectedAfterLogin`, the `async` form of `add` and
  /// `purchase` throw an ``OnsidePaymentError`` with ``OnsidePaymentError/isQuantityInvalid``.
  ///
  /// In a transaction it is the number of units of the order, on every device. Deliver as many, and take as many back
  /// when the order is revoked.
  ///
  /// ```swift
  /// func coins(in transaction: OnsidePaymentTransaction) -> Int { 100 * transaction.payment.quantity }
  /// ```
  ///
  /// A payment with another quantity is another order. While the first one is open, cancel it
  /// (``OnsidePaymentQueue/cancel(_:)``) before adding the second, or both can be paid.
  public var quantity = 1

  /// The quantities of a consumable that one payment may have: 1 to 1000.
  public static let quantities = OrderRequest.quantities

  /// Makes a payment for one unit of a product, without a token.
  public init(product: OnsideProduct) { self.product = product }
}

extension OnsidePayment {
  /// Reads a payment; one that was written before there were quantities is for one.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    product = try values.decode(OnsideProduct.self, forKey: .product)
    appAccountToken = try values.decodeIfPresent(String.self, forKey: .appAccountToken)
    offer = try values.decodeIfPresent(OnsidePaymentOffer.self, forKey: .offer)
    quantity = try values.decodeIfPresent(Int.self, forKey: .quantity) ?? 1
  }
}

extension OnsidePayment {
  /// The payment with a token, unless it has one of its own.
  func carrying(_ token: String?) -> OnsidePayment {
    var payment = self
    payment.appAccountToken = payment.appAccountToken ?? token
    return payment
  }
}

/// The state of a transaction: one `.purchasing`, then one of three final states, of which it never has two (QUE-5).
public enum OnsidePaymentTransactionState: String, Sendable, Hashable, Codable {
  /// Not decided yet: waiting for its turn, being paid, or waiting for the store. Nothing is delivered for it.
  case purchasing
  /// Paid. Deliver it, then finish it.
  case purchased
  /// Owned by the account and returned by a restore. Deliver it, then finish it.
  case restored
  /// Not paid, and final: see ``OnsidePaymentTransaction/error``. Finish it without delivering anything.
  case failed
}

/// The reason why a transaction is delivered to an observer. An addition to the published API (QUE-17).
///
/// With it an app tells a purchase that its user has just made, for which it shows a message, from one that comes back.
/// The store may add reasons: treat an unknown one like ``elsewhere``.
public struct OnsideDeliveryReason: RawRepresentable, Sendable, Hashable, Codable {
  /// The reason's name, for example `redelivered`.
  public let rawValue: String

  /// Makes a reason from its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Bought on this device, in this launch.
  public static let new = OnsideDeliveryReason(rawValue: "new")
  /// Added in an earlier launch or before a login, or delivered to another observer before, and not finished.
  public static let redelivered = OnsideDeliveryReason(rawValue: "redelivered")
  /// Returned by a restore.
  public static let restored = OnsideDeliveryReason(rawValue: "restored")
  /// A further period of a subscription.
  public static let renewed = OnsideDeliveryReason(rawValue: "renewed")
  /// Bought on another device, on the web, or given by support. A consumable is delivered on the device that ordered
  /// it; another one gets it once that device has not reached the store for five minutes (the store's
  /// `delivery_lease`). If it was only offline, it delivers it as well: a server that grants by
  /// `transactionIdentifier` grants once.
  public static let elsewhere = OnsideDeliveryReason(rawValue: "elsewhere")
}

/// A snapshot of one transaction of the payment queue (contract, section 1.4).
///
/// A snapshot does not change: observers get a new one for each change, and ``OnsidePaymentQueue/transactions`` has the
/// current ones. ``isSame(as:)`` and ``id`` say whether two are of one transaction. It is `Sendable` and may go to any
/// actor.
public struct OnsidePaymentTransaction: Sendable, Hashable, Identifiable {
  /// The transaction's identifier, made once: the same over launches and redeliveries, and the order's identifier at
  /// the store (QUE-6). Deliver each once.
  public let id: UUID
  /// The store's identifier of the purchase, by which a server grants it; `nil` until the store has reported it as
  /// paid.
  ///
  /// For a non-consumable that the account owned already it names the earlier purchase.
  public let transactionIdentifier: String?
  /// The first purchase of a renewed or restored one, such as a subscription's first period; otherwise the same as
  /// ``transactionIdentifier``.
  public let originalTransactionIdentifier: String?
  /// The payment: the product, with its price as shown or, after a change of price or country, as paid, the quantity,
  /// and the app's token.
  public let payment: OnsidePayment
  /// The state at the time of the snapshot.
  public let transactionState: OnsidePaymentTransactionState
  /// The country in which it runs. Before its order is made: the country for which the product was fetched.
  public let storefront: OnsideStorefront
  /// The reason of a failure; `nil` in every other state than `.failed` (QUE-15).
  public let error: OnsidePaymentTransactionError?
  /// What was in the way of a payment whose ``error`` is `.presentationFailed`: the network, the store, or that the
  /// account may not buy it (``OnsideFailure/notAvailable``); `nil` otherwise. An addition to the published API.
  public let failure: OnsideFailure?
  /// The reason why it is delivered. An addition to the published API.
  public let deliveryReason: OnsideDeliveryReason
  /// When it was added or, for a purchase made elsewhere, ordered. An addition to the published API.
  public let date: Date
  /// When it was paid, by the store's clock; `nil` before. An addition to the published API.
  public let purchaseDate: Date?
  /// When the subscription period that it paid for ends; `nil` for other purchases. An addition to the published API.
  public let expirationDate: Date?
  /// When it was refunded or revoked; the entitlement ends then. `nil` otherwise. An addition to the published API.
  public let revocationDate: Date?
  /// The store's signed record of this purchase, a compact JWS for the app's own server; `nil` until it is paid, and in
  /// local testing. An addition to the published API.
  public let signedPurchase: String?
  /// A Boolean value that indicates whether the purchase is finished, by this app or on another device of the account:
  /// then it has been delivered, and there is nothing to deliver or to finish. An addition to the published API.
  public private(set) var isFinished: Bool

  /// Makes a snapshot, for an app's own tests; those of the queue come from observers.
  public init(
    id: UUID, transactionIdentifier: String?, originalTransactionIdentifier: String?, payment: OnsidePayment,
    transactionState: OnsidePaymentTransactionState, storefront: OnsideStorefront,
    error: OnsidePaymentTransactionError? = nil, failure: OnsideFailure? = nil,
    deliveryReason: OnsideDeliveryReason = .new, date: Date, purchaseDate: Date? = nil, expirationDate: Date? = nil,
    revocationDate: Date? = nil, signedPurchase: String? = nil, isFinished: Bool = false
  ) {
    self.id = id
    self.transactionIdentifier = transactionIdentifier
    self.originalTransactionIdentifier = originalTransactionIdentifier
    self.payment = payment
    self.transactionState = transactionState
    self.storefront = storefront
    self.error = error
    self.failure = failure
    self.deliveryReason = deliveryReason
    self.date = date
    self.purchaseDate = purchaseDate
    self.expirationDate = expirationDate
    self.revocationDate = revocationDate
    self.signedPurchase = signedPurchase
    self.isFinished = isFinished
  }

  /// The same for an observer or a page after another one had it.
  var redelivered: OnsidePaymentTransaction {
    OnsidePaymentTransaction(
      id: id, transactionIdentifier: transactionIdentifier,
      originalTransactionIdentifier: originalTransactionIdentifier, payment: payment,
      transactionState: transactionState, storefront: storefront, error: error, failure: failure,
      deliveryReason: .redelivered, date: date, purchaseDate: purchaseDate, expirationDate: expirationDate,
      revocationDate: revocationDate, signedPurchase: signedPurchase, isFinished: isFinished)
  }

  /// The same after its finish.
  var finished: OnsidePaymentTransaction {
    var transaction = self
    transaction.isFinished = true
    return transaction
  }

  /// Whether both are snapshots of the same transaction: compares ``id``, and nothing else.
  public func isSame(as another: OnsidePaymentTransaction) -> Bool { id == another.id }
}
