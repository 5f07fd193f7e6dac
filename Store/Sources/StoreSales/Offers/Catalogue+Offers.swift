import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// An offer with the product that it is one of.
struct ProductOffer: Sendable {
  let product: Product
  let offer: Offer
}

extension ProductOffer {
  /// Its name on the wire.
  var name: AvailableOfferMessage { AvailableOfferMessage(productID: product.id, id: offer.id) }
}

extension Catalogue {
  /// The offers of a group that are sold in a country to those who have subscribed before.
  private func offers(inGroup group: String, country: CountryCode) -> [ProductOffer] {
    products.filter { $0.subscription?.groupID == group }.flatMap { product in
      (product.subscription?.offers ?? [])
        .filter { $0.isForSubscribers && product.price(of: $0, in: country) != nil }
        .map { ProductOffer(product: product, offer: $0) }
    }
  }

  /// The offers of a group that an account may have now: those of the plan that it had last first, then in the
  /// operator's order.
  func offers(
    for key: SubscriptionKey, country: CountryCode, orders: OrderRecords, at now: Date, in connection: any SQLConnection
  ) throws -> [ProductOffer] {
    let sold = offers(inGroup: key.group, country: country)
    guard !sold.isEmpty else { return [] }
    let history = try GroupHistory(key, orders: orders, at: now, in: connection)
    let allowed = sold.filter { item in
      SubscriptionPlan(item.product, in: country).map { history.refusal(of: item.offer, of: $0, at: now) == nil }
        ?? false
    }
    let last = history.machine?.period?.plan.productID
    return allowed.filter { $0.product.id == last } + allowed.filter { $0.product.id != last }
  }

  /// The offers that an account may have now, in every group in which it has subscribed.
  func offers(
    for customer: Customer, country: CountryCode, orders: OrderRecords, at now: Date, in connection: any SQLConnection
  ) throws -> [ProductOffer] {
    guard products.contains(where: { $0.subscription?.offers.contains(where: \.isForSubscribers) ?? false })
    else { return [] }
    return try SubscriptionRecords.subscriptions(of: customer.account, in: connection)
      .filter { $0.key.app == customer.app }
      .flatMap { try offers(for: $0.key, country: country, orders: orders, at: now, in: connection) }
  }
}

extension Offer {
  /// Whether accounts that have subscribed before may have it, without a code.
  fileprivate var isForSubscribers: Bool { kind == .winBack || kind == .promotional }
}
