package import Foundation
package import OnsideAPI
package import OnsideCommerce
import StoreBase

/// An order as the store keeps it.
package struct Order: Sendable {
  package let id: UUID
  package let accountID: String
  package let appID: String
  /// The product as it is sold at the price below.
  package var product: OrderedProduct
  package let quantity: Int
  package let country: CountryCode
  /// What is charged, or was, for all units.
  package var price: Money
  package var priceText: String
  /// The offer that the price is of, if it is.
  package var offerID: String?
  /// What was answered when the order was made, when the price has changed since.
  package var firstPrice: Money?
  package var firstPriceText: String?
  /// The product as it was then, if it has changed with the price.
  package var firstProduct: OrderedProduct?
  package var state: OrderState
  package var cancelReason: CancelReason?
  /// Why it exists; a purchase becomes a change of plan when it is paid.
  package var reason: TransactionReason
  package let appAccountToken: String?
  package let language: String?
  package let createdAt: Date
  package var paidAt: Date?
  package var expiresAt: Date?
  /// The purchase that its subscription began with; nil for that itself, and for everything else.
  package var originalOrderID: UUID?
  package var duplicateOf: UUID?
  /// The revoked order that a grant replaces; nil for every other order.
  package var reinstates: UUID?
  /// Why the store made a grant; nil for every other order.
  package var cause: GrantCause?
  package var paymentID: String?
  package var receipt: String?
  /// Which device may deliver it; nil for what all devices deliver, and for what no device has ordered.
  package var lease: DeliveryLease?

  /// True while it gives its buyer something that lasts: neither taken back nor over.
  func isOwned(at now: Date) -> Bool {
    state.isEntitled && product.message.kind.isRestorable && (expiresAt.map { now < $0 } ?? true)
  }

  /// True while it gives its buyer another plan of a product's subscription group: a group has one plan at a time.
  func isAnotherPlan(than other: ProductMessage, at now: Date) -> Bool {
    guard let group = other.subscriptionGroupID, group == product.message.subscriptionGroupID else { return false }
    return isOwned(at: now) && product.message.id != other.id
  }

  /// The offer that the price is of, if it is.
  var offer: OfferMessage? { offerID.flatMap { product.message.offer(named: $0) } }

  /// When what is paid at a moment ends; nil for what is no subscription.
  func expiry(paidAt date: Date) -> Date? {
    guard let period = product.message.subscriptionPeriod else { return nil }
    return offer?.firstExpiry(from: date) ?? period.adding(to: date)
  }

  /// Sets the price and the product of a new quote, and records those at the creation of the order.
  mutating func reprice(_ quote: Quote) {
    recordFirstPrice()
    if quote.product.id != product.id {
      firstProduct = firstProduct ?? product
      product = quote.product
    }
    price = quote.price
    priceText = quote.priceText
    offerID = quote.offerID
  }

  /// Takes over a price that was agreed or charged; the product stays as it was sold.
  mutating func setPrice(_ price: Money) {
    self.price = price
    priceText = price.formatted(country: country, language: language ?? "en")
  }

  /// Records the price and its text at the creation of the order, before the first change of the price.
  mutating func recordFirstPrice() {
    firstPrice = firstPrice ?? price
    firstPriceText = firstPriceText ?? priceText
  }

  /// The order as it was answered when it was made: what a repeated request is answered with.
  var asMade: Order {
    // An order that was owned already was paid from the beginning; one that turned out to be at the payment has
    // its first price kept.
    guard duplicateOf == nil || firstPrice != nil else { return self }
    var order = self
    order.product = firstProduct ?? product
    order.price = firstPrice ?? price
    order.priceText = firstPriceText ?? priceText
    order.state = OrderState()
    if reason == .planChange { order.reason = .purchase }
    order.cancelReason = nil
    order.paidAt = nil
    order.expiresAt = nil
    order.duplicateOf = nil
    order.receipt = nil
    return order
  }

  /// The number of units as people read it; nil for one.
  var quantityText: String? { quantity == 1 ? nil : String(quantity) }

  /// The purchase as receipts and histories tell it; nil when it was not paid, or is another order's.
  func purchase(in environment: StoreEnvironment, fetchedAt: Date) -> InAppPurchase? {
    guard state.stage == .paid, duplicateOf == nil, let paidAt else { return nil }
    var purchase = InAppPurchase(
      orderID: id, originalOrderID: originalOrderID, bundleID: appID, productID: product.message.id,
      productType: product.message.kind, quantity: quantity, price: price, userCountry: country,
      purchaseDate: paidAt, expiresAt: expiresAt, subscriptionID: product.message.subscriptionGroupID,
      transactionReason: reason, revocation: state.revocation, appAccountToken: appAccountToken,
      environment: environment.ofPurchases, subject: customer.subject, fetchedAt: fetchedAt)
    purchase.offer = offer.map(PurchaseOffer.init)
    purchase.reinstates = reinstates
    return purchase
  }
}

extension ProductMessage {
  /// The offer with an identifier.
  func offer(named id: String) -> OfferMessage? { offers.first { $0.id == id } }
}

extension PurchaseOffer {
  /// An offer as it was sold.
  init(_ offer: OfferMessage) { self.init(id: offer.id, kind: offer.kind) }
}
