extension StoreKitFileReader {
  private static let paymentModes: [String: PaymentMode] = [
    "free": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
  ]

  private static let offerKeys: Set<String> = [
    "displayPrice", "internalID", "numberOfPeriods", "offerID", "paymentMode", "referenceName", "subscriptionPeriod",
    "billingPlanType", "eligibility",
  ]

  /// The introductory offers, the promotional ones, those of codes, and the win-back ones.
  mutating func offers(_ entry: JSONObject, productID: String, storefront: CountryCode) -> [Offer] {
    noteBillingPlans(entry)
    let offers =
      introductory(entry).enumerated().compactMap { position, element in
        let id = "\(productID).introductory" + (position == 0 ? "" : String(position + 1))
        return attemptProduct { reader throws(JSONObject.Problem) in
          try reader.offer(element, of: productID, kind: .introductory, defaultID: id, storefront: storefront)
        } ?? nil
      }
      + list(entry, key: "adHocOffers").compactMap { promotional($0, productID: productID, storefront: storefront) }
      + list(entry, key: "codeOffers").compactMap { code($0, productID: productID, storefront: storefront) }
      + list(entry, key: "winbackOffers").compactMap { winBack($0, productID: productID, storefront: storefront) }
    return withoutDuplicates(offers, of: entry)
  }

  /// An order names an offer by its id: only the first of each remains.
  private mutating func withoutDuplicates(_ offers: [Offer], of product: JSONObject) -> [Offer] {
    var seen: Set<String> = []
    return offers.filter { offer in
      guard !seen.insert(offer.id).inserted else { return true }
      noteBroken(
        JSONObject.Problem(
          path: product.path, offset: product.offset, expected: "offers with ids of their own",
          found: "\(offer.id.debugDescription) twice"))
      return false
    }
  }

  /// The file names them by their reference name; it has no codes.
  private mutating func code(
    _ element: (node: JSONNode, path: String), productID: String, storefront: CountryCode
  ) -> Offer? {
    attempt { reader throws(JSONObject.Problem) in
      let entry = try JSONObject(element.node, path: element.path)
      let name = try entry.string("referenceName").flatMap { $0.isEmpty ? nil : $0 }
      var offer = try reader.offer(element, of: productID, kind: .code, defaultID: name, storefront: storefront)
      var customers: [OfferCustomer] = []
      for (node, path) in try entry.elements("eligibility") {
        customers.append(try JSONObject.customer(node, path: path))
      }
      offer?.customers = customers.isEmpty ? nil : customers
      return offer
    } ?? nil
  }

  /// The file has no rule for them: every account whose subscription is over can have them.
  private mutating func winBack(
    _ element: (node: JSONNode, path: String), productID: String, storefront: CountryCode
  ) -> Offer? {
    attempt { reader throws(JSONObject.Problem) in
      try reader.offer(element, of: productID, kind: .winBack, defaultID: nil, storefront: storefront)
    } ?? nil
  }

  /// They need a signature of the app's server in a store.
  private mutating func promotional(
    _ element: (node: JSONNode, path: String), productID: String, storefront: CountryCode
  ) -> Offer? {
    attempt { reader throws(JSONObject.Problem) in
      try reader.offer(element, of: productID, kind: .promotional, defaultID: nil, storefront: storefront)
    } ?? nil
  }

  /// One object before format 5, a list since; Xcode repeats one of the list as that object, for its older versions.
  private mutating func introductory(_ entry: JSONObject) -> [(JSONNode, String)] {
    let listed = list(entry, key: "introductoryOffers").filter { $0.0.value != .null }
    guard let single = entry.members["introductoryOffer"], single.value != .null,
      !listed.contains(where: { $0.0.member("internalID") == single.member("internalID") })
    else { return listed }
    return [(single, entry.path("introductoryOffer"))] + listed
  }

  private mutating func list(_ entry: JSONObject, key: String) -> [(JSONNode, String)] {
    attempt { _ throws(JSONObject.Problem) in try entry.elements(key) } ?? []
  }

  /// An offer; nil, and a note, when it belongs to a billing plan that is not sold.
  private mutating func offer(
    _ element: (node: JSONNode, path: String), of productID: String, kind: OfferKind, defaultID: String?,
    storefront: CountryCode
  ) throws(JSONObject.Problem) -> Offer? {
    let entry = try JSONObject(element.node, path: element.path)
    noteUnknown(in: entry, known: Self.offerKeys)
    let plan = entry.members["billingPlanType"]?.value ?? .null
    guard plan == .null || plan == .string(Self.paidInFull) else {
      note(entry.problem("billingPlanType", expected: Self.paidInFull))
      return nil
    }
    let mode = try entry.required("paymentMode", expected: "free, payAsYouGo or payUpFront") {
      $0.text.flatMap { Self.paymentModes[$0] }
    }
    let count = try entry.integer("numberOfPeriods") ?? 1
    guard count >= 1 else { throw entry.problem("numberOfPeriods", expected: "a number of at least 1") }
    let givenID = try entry.string("offerID").flatMap { $0.isEmpty ? nil : $0 }
    guard let id = givenID ?? defaultID else { throw entry.problem("offerID", expected: "a string") }
    // An order names its offer by the id; an offer of codes is redeemed.
    guard kind == .code || Product.isIdentifier(id) else {
      throw entry.problem("offerID", expected: Product.identifierRule)
    }
    var offer = Offer(
      id: id, kind: kind, mode: mode, period: try entry.period("subscriptionPeriod"), periodCount: count)
    if mode != .freeTrial {
      let amount = try entry.required("displayPrice", expected: DisplayPrice.expectation, read: DisplayPrice.amount)
      offer.prices = prices(amount, entry: entry, of: productID, storefront: storefront)
    }
    return offer
  }

  private static let paidInFull = "BILLED_UPFRONT"

  /// Format 5 has ways of paying a subscription; only payment in full for each period is known here.
  private mutating func noteBillingPlans(_ entry: JSONObject) {
    for (node, path) in list(entry, key: "billingPlans") {
      attempt { _ throws(JSONObject.Problem) in
        let plan = try JSONObject(node, path: path)
        let isEnabled = try plan.optional("isEnabled", expected: "true or false", read: \.flag) ?? true
        let isPaidInFull = try plan.string("billingPlanType") == Self.paidInFull
        guard isEnabled || isPaidInFull else { return }
        guard isPaidInFull else { throw plan.problem("billingPlanType", expected: Self.paidInFull) }
        guard isEnabled else { throw plan.problem("isEnabled", expected: "true: the subscription is sold in full") }
        let price = try plan.optional("displayPrice", expected: DisplayPrice.expectation, read: DisplayPrice.amount)
        guard price == nil || price == entry.members["displayPrice"].flatMap({ DisplayPrice.amount($0.value) }) else {
          throw plan.problem("displayPrice", expected: "the price of the subscription itself")
        }
      }
    }
  }
}

extension JSONObject {
  /// Who an offer is for; the file calls those with a subscription `existing`.
  fileprivate static func customer(_ node: JSONNode, path: String) throws(Problem) -> OfferCustomer {
    switch node.value.text {
    case "new": .new
    case "existing", "active": .active
    case "expired": .expired
    default:
      throw Problem(
        path: path, offset: node.offset, expected: "new, existing or expired", found: node.description)
    }
  }
}

extension JSONNode {
  /// The value of a key, if this is an object that has it.
  fileprivate func member(_ key: String) -> Value? {
    if case .object(let members) = value { members[key]?.value } else { nil }
  }
}
