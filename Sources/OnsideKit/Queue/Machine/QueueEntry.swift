import Foundation
import OnsideAPI
import OnsideCommerce

/// One transaction as the SDK keeps it, in memory and on disk.
struct QueueEntry: Codable, Hashable, Sendable {
  /// The transaction's, the order's and the idempotency key's id.
  let id: UUID
  /// The account that it belongs to. Another account never sees it.
  var account: AccountID
  var payment: OnsidePayment
  /// The region that it was enqueued in, or that the user agreed to since.
  var country: CountryCode
  var state: OnsidePaymentTransactionState
  var error: OnsidePaymentTransactionError?
  /// The code of what was in the way of a failed payment (``OnsideFailure``). Files of older versions do not have it.
  var failureCode: String?
  var reason: OnsideDeliveryReason
  /// Whether an observer was told of its final state.
  var wasDelivered = false
  /// Whether the app has finished it. Such an entry is a tombstone: it stays until the store knows.
  var isFinished = false
  /// Whether the store has still to be told of a finish.
  var owesFinish = false
  /// The store says paid, but the app was told before that it failed: it comes again once the failure is finished.
  var isPaidAfterAll = false
  /// Whether it is hidden from the app until this device may deliver it: a consumable from elsewhere. Optional, as the
  /// files of older versions do not have it.
  var awaitsClaim: Bool?
  let date: Date
  var purchase: Purchase?
  /// Whether the app has still to be told of a refund or revocation. Files of older versions do not have it: their
  /// refunds were told.
  var owesRevocation: Bool?

  /// The store's data of a paid order.
  struct Purchase: Codable, Hashable, Sendable {
    var transactionIdentifier: String
    var originalTransactionIdentifier: String
    var paidAt: Date?
    var expiresAt: Date?
    var revokedAt: Date?
    var receipt: String?

    init(_ order: OrderMessage) {
      transactionIdentifier = (order.duplicateOf ?? order.id).description
      originalTransactionIdentifier = (order.duplicateOf ?? order.originalOrderID).description
      paidAt = order.paidAt
      expiresAt = order.expiresAt
      revokedAt = order.revokedAt
      receipt = order.receipt
    }
  }

  /// A payment that was just added.
  init(_ payment: OnsidePayment, id: UUID, account: AccountID, country: CountryCode, date: Date) {
    self.id = id
    self.account = account
    self.payment = payment
    self.country = country
    state = .purchasing
    reason = .new
    self.date = date
  }

  /// A purchase that the store tells of.
  init(
    _ order: OrderMessage, account: AccountID, state: OnsidePaymentTransactionState, reason: OnsideDeliveryReason
  ) {
    id = order.id.uuid
    self.account = account
    payment = OnsidePayment(product: OnsideProduct(order.product, in: order.country))
    payment.appAccountToken = order.appAccountToken
    payment.quantity = order.quantity
    country = order.country
    self.state = state
    self.reason = reason
    date = order.createdAt
    purchase = Purchase(order)
  }

  /// Whether it waits for the app to finish it, or for its outcome.
  var isVisible: Bool { !isFinished && !isRevoked && !isUnclaimed }

  /// Whether the store has yet to let this device deliver it.
  var isUnclaimed: Bool { awaitsClaim == true }

  /// Whether the store took the purchase back. Such an entry stays on the disk, so that the app is told once.
  var isRevoked: Bool { purchase?.revokedAt != nil }

  /// Whether another order of the account has paid for it.
  var isDuplicate: Bool { purchase.map { $0.transactionIdentifier != OrderID(id).description } ?? false }

  /// Whether the app has delivered the purchase on this device, or may be delivering it.
  var isDelivered: Bool { isFinished || (wasDelivered && state != .purchasing) }

  /// The same after the store took the purchase back. The app is notified of what it has delivered (QUE-19).
  func revoked(by order: OrderMessage) -> QueueEntry {
    var entry = self
    if state == .purchasing { entry.state = .purchased }
    entry.awaitsClaim = nil
    entry.adoptQuantity(of: order)
    entry.purchase = Purchase(order)
    entry.owesRevocation = isDelivered || order.finishedHere == true ? true : nil
    return entry
  }

  /// The same after another device of the account has finished the purchase.
  func finished(by order: OrderMessage) -> QueueEntry {
    var entry = self
    entry.state = .purchased
    entry.awaitsClaim = nil
    entry.isFinished = true
    entry.adoptQuantity(of: order)
    entry.purchase = Purchase(order)
    return entry
  }

  /// Takes over the quantity of the order. Journals and stores of older versions have none, which is read as 1: the
  /// larger one is the true one.
  mutating func adoptQuantity(of order: OrderMessage) {
    payment.quantity = max(payment.quantity, order.quantity)
  }

  /// What observers get to see.
  func snapshot(in storefront: OnsideStorefront) -> OnsidePaymentTransaction {
    OnsidePaymentTransaction(
      id: id, transactionIdentifier: purchase?.transactionIdentifier,
      originalTransactionIdentifier: purchase?.originalTransactionIdentifier, payment: payment,
      transactionState: state, storefront: storefront, error: error, failure: failureCode.map { OnsideFailure($0) },
      deliveryReason: reason, date: date, purchaseDate: purchase?.paidAt,
      expirationDate: purchase?.expiresAt, revocationDate: purchase?.revokedAt, signedPurchase: purchase?.receipt,
      isFinished: isFinished)
  }
}

extension OrderMessage {
  /// Whether it was a purchase and is none any more. Money that came after a cancel and went back is no purchase.
  var isTakenBack: Bool { state == .paid && revokedAt != nil }
}
