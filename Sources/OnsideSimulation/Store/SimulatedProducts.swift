import OnsideAPI
import OnsideCommerce
import OnsideKit

/// What is for sale.
enum SimulatedProducts {
  static let ids = ["coins", "pro", "club"]

  static func product(_ id: String, in country: CountryCode) -> ProductMessage {
    let kinds: [String: ProductKind] = ["pro": .nonConsumable, "club": .autoRenewableSubscription]
    let amount: Int64 = country == .netherlands ? 499 : 599
    return ProductMessage(
      id: id, kind: kinds[id] ?? .consumable, title: id, description: "",
      price: PriceMessage(Money(minorUnits: amount, currency: country.currency), formatted: "\(amount)"),
      subscriptionPeriod: id == "club" ? .oneMonth : nil)
  }

  static func payment(_ id: String, quantity: Int, in country: CountryCode) -> OnsidePayment {
    var payment = OnsidePayment(product: OnsideProduct(product(id, in: country)))
    payment.quantity = quantity
    return payment
  }
}
