import Foundation

extension StoreKitFileReader {
  private static let productKeys: Set<String> = [
    "productID", "type", "displayPrice", "familyShareable", "internalID", "referenceName", "localizations",
  ]

  private static let kinds: [String: ProductKind] = [
    "Consumable": .consumable, "NonConsumable": .nonConsumable, "NonRenewingSubscription": .nonRenewingSubscription,
  ]

  mutating func oneTimeProduct(_ entry: JSONObject, storefront: CountryCode) throws(JSONObject.Problem) -> Product {
    let kind = try entry.required("type", expected: "Consumable, NonConsumable or NonRenewingSubscription") {
      $0.text.flatMap { Self.kinds[$0] }
    }
    noteUnknown(in: entry, known: Self.productKeys)
    return try product(entry, kind: kind, storefront: storefront)
  }

  mutating func subscriptionGroup(
    _ group: JSONObject, storefront: CountryCode
  ) throws(JSONObject.Problem) -> [PlacedProduct] {
    noteUnknown(in: group, known: ["id", "name", "localizations", "subscriptions"])
    let id = try group.name("id")
    let name = try group.string("name") ?? id
    noteNames(of: group, besides: name)
    return try group.elements("subscriptions").compactMap { element in
      attemptProduct { reader throws(JSONObject.Problem) in
        let entry = try JSONObject(element.node, path: element.path)
        var product = try reader.product(entry, kind: .autoRenewableSubscription, storefront: storefront)
        reader.noteUnknown(in: entry, known: Self.subscriptionKeys)
        product.subscription = Subscription(
          groupID: id, groupName: name, level: try entry.integer("groupNumber") ?? 1,
          period: try entry.period("recurringSubscriptionPeriod"),
          offers: reader.offers(entry, productID: product.id, storefront: storefront))
        return PlacedProduct(product: product, entry: entry)
      }
    }
  }

  /// A group has one name here; the same name in another language is nothing lost.
  private mutating func noteNames(of group: JSONObject, besides name: String) {
    attempt { reader throws(JSONObject.Problem) in
      for (node, path) in try group.elements("localizations") {
        let text = try JSONObject(node, path: path)
        let isSame = text.members["displayName"]?.value == .string(name)
        reader.noteUnknown(in: text, known: isSame ? ["locale", "displayName"] : ["locale"])
      }
    }
  }

  private static let subscriptionKeys = productKeys.union([
    "groupNumber", "recurringSubscriptionPeriod", "subscriptionGroupID", "introductoryOffer", "introductoryOffers",
    "adHocOffers", "billingPlans", "winbackOffers", "codeOffers",
  ])

  private mutating func product(
    _ entry: JSONObject, kind: ProductKind, storefront: CountryCode
  ) throws(JSONObject.Problem) -> Product {
    let id = try entry.required("productID", expected: Product.identifierRule) {
      $0.text.flatMap { Product.isIdentifier($0) ? $0 : nil }
    }
    let amount = try entry.required("displayPrice", expected: DisplayPrice.expectation, read: DisplayPrice.amount)
    let familyShareable = try entry.bool("familyShareable")
    if familyShareable { note(entry.problem("familyShareable", expected: "false: families share no purchases")) }
    return Product(
      id: id, kind: kind, referenceName: try entry.string("referenceName") ?? "", localizations: localizations(entry),
      prices: prices(amount, entry: entry, of: id, storefront: storefront),
      familyShareable: familyShareable)
  }

  /// The file's price in its storefront, of a product or one of its offers; none, and a note, if the storefront is
  /// unknown, or if its currency has no such amount.
  mutating func prices(
    _ amount: Decimal, entry: JSONObject, of productID: String, storefront: CountryCode
  ) -> [CountryCode: Money] {
    guard !hasUnknownStorefront else {
      note(entry.problem("displayPrice", expected: "a price in a known storefront"))
      return [:]
    }
    let currency = storefront.currency
    guard let price = try? Money(exactly: amount, currency: currency) else {
      let problem = entry.problem(
        "displayPrice", expected: "a price with at most \(currency.exponent) decimals of \(currency)")
      noteBroken(problem, unpriced: productID)
      return [:]
    }
    return [storefront: price]
  }

  private mutating func localizations(_ entry: JSONObject) -> [LocalizedText] {
    let elements = attempt { _ throws(JSONObject.Problem) in try entry.elements("localizations") } ?? []
    return elements.compactMap { element in
      attempt { reader throws(JSONObject.Problem) in
        let text = try JSONObject(element.node, path: element.path)
        reader.noteUnknown(in: text, known: ["locale", "displayName", "description"])
        return LocalizedText(
          language: LanguageTag(try text.name("locale")).description, title: try text.string("displayName") ?? "",
          description: try text.string("description") ?? "")
      }
    }
    .filter { !$0.title.isEmpty || !$0.description.isEmpty }
  }
}

extension JSONObject {
  func period(_ key: String) throws(Problem) -> Period {
    try required(key, expected: "an ISO 8601 duration such as \"P1M\"") { $0.text.flatMap(Period.init(iso8601:)) }
  }
}
