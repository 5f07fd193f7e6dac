import Foundation
import OnsideAPI
import OnsideCommerce

/// An order as the store keeps it.
struct Order: Sendable {
  let id: UUID
  let accountID: String
  let appID: String
  let product: OrderedProduct
  let quantity: Int
  let country: CountryCode
  /// What is charged, or was.
  var price: Money
  var priceText: String
  /// The offer that the price is of, if it is.
  var offerID: String?
  /// What was answered when the order was made, when the price has changed since.
  var firstPrice: Money?
  var firstPriceText: String?
  var state: OrderState
  var cancelReason: CancelReason?
  let reason: TransactionReason
  let appAccountToken: String?
  let language: String?
  let createdAt: Date
  var paidAt: Date?
  var expiresAt: Date?
  let originalOrderID: UUID?
  var duplicateOf: UUID?
  var paymentID: String?
  var receipt: String?

  /// True while it gives its buyer something that lasts: neither taken back nor over.
  func isOwned(at now: Date) -> Bool {
    state.isEntitled && product.message.kind.isRestorable && (expiresAt.map { now < $0 } ?? true)
  }

  /// The offer that the price is of, if it is.
  var offer: OfferMessage? { offerID.flatMap { id in product.message.offers.first { $0.id == id } } }

  /// When what is paid at a moment ends; nil for what is no subscription.
  func expiry(paidAt date: Date) -> Date? {
    guard let period = product.message.subscriptionPeriod else { return nil }
    return offer?.firstExpiry(from: date) ?? period.adding(to: date)
  }

  /// Takes over another price, and keeps the one that was answered when the order was made.
  mutating func reprice(_ quote: Quote) {
    keepFirstPrice()
    price = quote.price
    priceText = quote.priceText
    offerID = quote.offerID
  }

  /// Remembers what was answered when the order was made, before it becomes something else.
  mutating func keepFirstPrice() {
    firstPrice = firstPrice ?? price
    firstPriceText = firstPriceText ?? priceText
  }

  /// The order as it was answered when it was made: what a repeated request is answered with.
  var asMade: Order {
    // An order that was owned already was paid from the beginning; one that turned out to be at the payment has
    // its first price kept.
    guard duplicateOf == nil || firstPrice != nil else { return self }
    var order = self
    order.price = firstPrice ?? price
    order.priceText = firstPriceText ?? priceText
    order.state = OrderState()
    order.cancelReason = nil
    order.paidAt = nil
    order.expiresAt = nil
    order.duplicateOf = nil
    order.receipt = nil
    return order
  }

  /// The purchase as receipts and histories tell it; nil when it was not paid, or is another order's.
  func purchase(fetchedAt: Date) -> InAppPurchase? {
    guard state.stage == .paid, duplicateOf == nil, let paidAt else { return nil }
    return InAppPurchase(
      orderID: id, originalOrderID: originalOrderID, bundleID: appID, productID: product.message.id,
      productType: product.message.kind, quantity: quantity, price: price, userCountry: country,
      purchaseDate: paidAt, expiresAt: expiresAt, subscriptionID: product.message.subscriptionGroupID,
      transactionReason: reason, revocation: state.revocation, appAccountToken: appAccountToken,
      fetchedAt: fetchedAt)
  }
}
