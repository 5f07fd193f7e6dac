package import Foundation
package import OnsideAPI
package import OnsideCommerce
import StoreAccounts
import StoreBase

/// A stored order.
package struct Order: Sendable {
  package let id: UUID
  package let accountID: String
  package let appID: String
  /// The product at the price below.
  package var product: OrderedProduct
  package let quantity: Int
  package let country: CountryCode
  /// The price of all units.
  package var price: Money
  package var priceText: String
  /// The id of the offer of the price.
  package var offerID: String?
  /// The price at the creation of the order, if it has changed since.
  package var firstPrice: Money?
  package var firstPriceText: String?
  /// The product at the creation of the order, if it has changed since.
  package var firstProduct: OrderedProduct?
  package var state: OrderState
  package var cancelReason: CancelReason?
  /// The reason of the order; a purchase becomes a change of plan when it is paid.
  package var reason: TransactionReason
  package let appAccountToken: String?
  package let language: String?
  package let createdAt: Date
  package var paidAt: Date?
  package var expiresAt: Date?
  /// The first purchase of its subscription; nil for that purchase, and for other products.
  package var originalOrderID: UUID?
  package var duplicateOf: UUID?
  /// The revoked order that a grant replaces; nil for every other order.
  package var reinstates: UUID?
  /// The cause of a grant; nil for every other order.
  package var cause: GrantCause?
  package var paymentID: String?
  package var receipt: String?
  /// The lease of the device that may deliver the order; nil for a product that all devices deliver, and for an order
  /// without a device.
  package var lease: DeliveryLease?

  /// A Boolean value that indicates whether the buyer owns the product: a lasting purchase that is neither revoked nor
  /// expired.
  func isOwned(at now: Date) -> Bool {
    state.isEntitled && product.message.kind.isRestorable && (expiresAt.map { now < $0 } ?? true)
  }

  /// A Boolean value that indicates whether the buyer owns another plan of a product's subscription group. A group has
  /// one plan at a time.
  func isAnotherPlan(than other: ProductMessage, at now: Date) -> Bool {
    guard let group = other.subscriptionGroupID, group == product.message.subscriptionGroupID else { return false }
    return isOwned(at: now) && product.message.id != other.id
  }

  /// The offer that the price is of, if it is.
  var offer: OfferMessage? { offerID.flatMap { product.message.offer(named: $0) } }

  /// Returns the end of a period that is paid at a moment; nil for a product that is no subscription.
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

  /// Sets a price that was agreed or charged. The product does not change.
  mutating func setPrice(_ price: Money) {
    self.price = price
    priceText = price.formatted(country: country, language: language ?? "en")
  }

  /// Records the price and its text at the creation of the order, before the first change of the price.
  mutating func recordFirstPrice() {
    firstPrice = firstPrice ?? price
    firstPriceText = firstPriceText ?? priceText
  }

  /// The order at its creation, which answers a repeated request.
  var asMade: Order {
    // A duplicate at its creation was paid from the beginning. A duplicate since its payment has a first price.
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

  /// The number of units as text; nil for one.
  var quantityText: String? { quantity == 1 ? nil : String(quantity) }

  /// Returns the purchase for receipts and histories; nil for an unpaid order, and for a duplicate.
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
