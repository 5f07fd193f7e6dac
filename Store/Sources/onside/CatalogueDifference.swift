import OnsideCommerce

/// The differences between two catalogues of an app.
struct CatalogueDifference {
  /// A line for each difference, by product.
  let lines: [String]

  init(from old: Catalogue, to new: Catalogue) {
    let before = Dictionary(uniqueKeysWithValues: old.products.map { ($0.id, $0) })
    let after = Dictionary(uniqueKeysWithValues: new.products.map { ($0.id, $0) })
    lines = Set(before.keys).union(after.keys).sorted().flatMap { id in
      switch (before[id], after[id]) {
      case (nil, _): ["added    \(id)"]
      case (_, nil): ["removed  \(id)"]
      case (let old?, let new?): Self.changes(from: old, to: new)
      }
    }
  }

  private static func changes(from old: Product, to new: Product) -> [String] {
    let (plan, newPlan) = (old.subscription, new.subscription)
    let values = [
      change(of: "kind", from: old.kind.rawValue, to: new.kind.rawValue),
      change(of: "group", from: plan?.groupID, to: newPlan?.groupID),
      change(of: "level", from: plan.map { "\($0.level)" }, to: newPlan.map { "\($0.level)" }),
      change(of: "period", from: plan?.period.iso8601, to: newPlan?.period.iso8601),
      change(of: "reference name", from: old.referenceName, to: new.referenceName),
      change(of: "group name", from: plan?.groupName, to: newPlan?.groupName),
      change(of: "grace days", from: plan?.graceDays.map { "\($0)" }, to: newPlan?.graceDays.map { "\($0)" }),
      old.localizations == new.localizations ? nil : "texts",
    ].compactMap(\.self)
    return
      (values + prices(from: old.prices, to: new.prices) + offers(from: plan?.offers ?? [], to: newPlan?.offers ?? []))
      .map { "changed  \(new.id): \($0)" }
  }

  private static func change(of name: String, from old: String?, to new: String?) -> String? {
    old == new ? nil : "\(name) \(old ?? "none") → \(new ?? "none")"
  }

  private static func prices(from old: [CountryCode: Money], to new: [CountryCode: Money]) -> [String] {
    Set(old.keys).union(new.keys).sorted { $0.alpha2 < $1.alpha2 }.compactMap { country in
      change(of: "price \(country.alpha2)", from: old[country]?.description, to: new[country]?.description)
    }
  }

  private static func offers(from old: [Offer], to new: [Offer]) -> [String] {
    let (before, after) = (Dictionary(grouping: old, by: \.id), Dictionary(grouping: new, by: \.id))
    return Set(before.keys).union(after.keys).sorted().flatMap { id -> [String] in
      guard let offer = before[id]?.first else { return ["offer \(id) added"] }
      guard var other = after[id]?.first else { return ["offer \(id) removed"] }
      let prices = prices(from: offer.prices, to: other.prices).map { "offer \(id) \($0)" }
      other.prices = offer.prices
      return (offer == other ? [] : ["offer \(id) terms"]) + prices
    }
  }
}
