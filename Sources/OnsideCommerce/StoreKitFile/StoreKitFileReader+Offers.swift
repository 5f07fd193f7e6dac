extension StoreKitFileReader {
  private static let paymentModes: [String: PaymentMode] = [
    "free": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
  ]

  private static let offerKeys: Set<String> = [
    "displayPrice", "internalID", "numberOfPeriods", "offerID", "paymentMode", "referenceName", "subscriptionPeriod",
    "eligibility",
  ]

  /// The introductory offers (one object before format 5, a list since) and then the promotional ones.
  mutating func offers(_ entry: JSONObject, productID: String, storefront: CountryCode) -> [Offer] {
    noteBillingPlans(entry)
    var introductory = entry.members["introductoryOffer"].map { [($0, entry.path("introductoryOffer"))] } ?? []
    introductory += list(entry, "introductoryOffers")
    let own = introductory.filter { $0.0.value != .null }
    return own.enumerated().compactMap { position, element in
      let id = "\(productID).introductory" + (position == 0 ? "" : String(position + 1))
      return offer(element, kind: .introductory, defaultID: id, storefront: storefront)
    }
      + list(entry, "adHocOffers").compactMap {
        offer($0, kind: .promotional, defaultID: nil, storefront: storefront)
      }
  }

  private mutating func list(_ entry: JSONObject, _ key: String) -> [(JSONNode, String)] {
    attempt { _ throws(JSONObject.Problem) in try entry.elements(key) } ?? []
  }

  private mutating func offer(
    _ element: (node: JSONNode, path: String), kind: OfferKind, defaultID: String?, storefront: CountryCode
  ) -> Offer? {
    attempt { reader throws(JSONObject.Problem) in
      let entry = try JSONObject(element.node, path: element.path)
      reader.noteUnknown(in: entry, known: Self.offerKeys)
      let mode = try entry.required("paymentMode", "free, payAsYouGo or payUpFront") {
        $0.text.flatMap { Self.paymentModes[$0] }
      }
      let count = try entry.integer("numberOfPeriods") ?? 1
      guard count >= 1 else { throw entry.problem("numberOfPeriods", expected: "a number of at least 1") }
      let givenID = try entry.string("offerID").flatMap { $0.isEmpty ? nil : $0 }
      guard let id = givenID ?? defaultID else { throw entry.problem("offerID", expected: "a string") }
      var offer = Offer(
        id: id, kind: kind, mode: mode, period: try entry.period("subscriptionPeriod"), periodCount: count)
      if mode != .freeTrial {
        let amount = try entry.required("displayPrice", DisplayPrice.expectation, DisplayPrice.amount)
        offer.prices = reader.prices(amount, entry, storefront: storefront)
      }
      return offer
    }
  }

  /// Format 5 has ways of paying a subscription; only payment in full for each period is known here.
  private mutating func noteBillingPlans(_ entry: JSONObject) {
    for (node, path) in list(entry, "billingPlans") {
      attempt { _ throws(JSONObject.Problem) in
        let plan = try JSONObject(node, path: path)
        _ = try plan.required("billingPlanType", "BILLED_UPFRONT") { $0.text == "BILLED_UPFRONT" ? true : nil }
      }
    }
  }
}
