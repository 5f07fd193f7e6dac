import OnsideAPI
import OnsideCommerce
import OnsideKit

/// The products of the simulated store.
enum SimulatedProducts {
  /// The products that simulated users buy.
  static let ids = ["coins", "pro", "club"]

  private static let kinds: [String: ProductKind] = [
    "coins": .consumable, "pro": .nonConsumable, "club": .autoRenewableSubscription, "cheese": .consumable,
  ]

  /// The product with its price in a country, or nil if it is not sold there: `cheese` is sold in the Netherlands only.
  static func product(_ id: String, in country: CountryCode) -> ProductMessage? {
    guard let kind = kinds[id], id != "cheese" || country == .netherlands else { return nil }
    let amount: Int64 = country == .netherlands ? 499 : 599
    return ProductMessage(
      id: id, kind: kind, title: id, description: "",
      price: PriceMessage(Money(minorUnits: amount, currency: country.currency), formatted: "\(amount)"),
      subscriptionPeriod: id == "club" ? .oneMonth : nil)
  }

  static func payment(_ id: String, quantity: Int, in country: CountryCode) -> OnsidePayment? {
    guard let product = product(id, in: country) else { return nil }
    var payment = OnsidePayment(product: OnsideProduct(product))
    payment.quantity = quantity
    return payment
  }
}
