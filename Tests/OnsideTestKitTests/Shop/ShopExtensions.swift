import OnsideKit

// From SellPlans.md, by `script/check-samples --write`.
extension Shop {
  /// Buys a plan. One that starts with the next renewal is chosen on the subscription's page; the result is nil then.
  func change(to identifier: String) async throws -> OnsidePurchaseResult? {
    guard let plan = try await Onside.products(for: [identifier]).products.first else { return nil }
    do {
      return try await Onside.defaultPaymentQueue().purchase(plan)
    } catch let failure as OnsideFailure where failure == .notAvailable {
      try await Onside.presentSubscriptionsManager(group: plan.subscriptionGroupIdentifier)
      return nil
    }
  }
}

// From WinPeopleBack.md, by `script/check-samples --write`.
/// Offers for accounts whose subscription has expired, and for users with a code.
extension Shop {
  /// The best win-back offer of a group for this account, with its product; nil when there is none.
  func winBackOffer(in group: String) async throws -> (product: OnsideProduct, offer: OnsideProductOffer)? {
    for known in try await Onside.subscriptionStatus(group: group).offers {
      let products = try await Onside.products(for: [known.productIdentifier]).products
      let offers = products.first?.offers ?? []
      guard let product = products.first,
        let offer = offers.first(where: { $0.offerIdentifier == known.offerIdentifier }), offer.kind == .winBack
      else { continue }
      return (product, offer)
    }
    return nil
  }

  /// The text of the button: both prices.
  func label(for product: OnsideProduct, _ offer: OnsideProductOffer) -> String {
    "Come back for \(offer.terms.price.formatted), then \(product.price.formatted)"
  }

  /// Buys with an offer. A promotional one comes with the signature of the app's server for this user.
  func buy(
    _ product: OnsideProduct, offer identifier: String, signature: String? = nil, user: String? = nil
  ) async throws -> OnsidePurchaseResult {
    let offer = OnsidePaymentOffer(offerIdentifier: identifier, signature: signature)
    return try await Onside.defaultPaymentQueue().purchase(product, appAccountToken: user, offer: offer)
  }

  /// Opens the page for codes. The purchase carries `Onside.appAccountToken`; the observer is notified of it as of a
  /// purchase made elsewhere.
  func enterCode() async throws {
    try await Onside.presentCodeRedemption()
  }
}
