import Foundation
import OnsideCommerce

/// What a catalogue in JSON can say and no store can sell. JSON decoders tell places by path, not by line.
extension CatalogueFile {
  init(checking catalogue: Catalogue, _ path: String) {
    let names = Dictionary(
      grouping: catalogue.products.compactMap(\.subscription), by: \.groupID
    ).mapValues { Set($0.map(\.groupName)) }
    let checked = catalogue.products.enumerated().map { index, product in
      (product, product.problems(at: "products[\(index)]") + product.groupProblems(names, at: "products[\(index)]"))
    }
    let left = try? Catalogue(
      products: checked.filter { $0.1.isEmpty }.map(\.0), defaultLanguage: catalogue.defaultLanguage)
    broken = checked.flatMap(\.1).map { "\(path): \($0)" }
    self.catalogue = left ?? catalogue
    let shared = catalogue.products.indices.filter { catalogue.products[$0].familyShareable }
    ignored =
      broken + shared.map { "\(path): products[\($0)].familyShareable: expected false: families share no purchases" }
  }

  /// Refuses prices of offers in another currency than their product has in the country.
  ///
  /// - Parameter prices: the table that gives them.
  func requireCurrencies(_ prices: String) throws {
    let problems = catalogue.products.flatMap { product in
      (product.subscription?.offers ?? []).flatMap { offer in
        product.currencyProblems(of: offer, at: "\(prices): offers.\(product.id).\(offer.id)")
      }
    }
    if !problems.isEmpty { throw CommandFailure(problems.joined(separator: "\n")) }
  }

  /// Refuses texts with U+0000, which the store cannot keep.
  func requireKeepable(_ path: String) throws {
    let products = try catalogue.products.filter { try $0.hasNullCharacter }.map(\.id.debugDescription)
    if !products.isEmpty {
      throw CommandFailure(
        "\(path): expected texts without U+0000, got one in the product \(products.joined(separator: ", "))")
    }
    if catalogue.defaultLanguage.contains("\0") {
      throw CommandFailure("\(path): expected a default language without U+0000")
    }
  }
}

extension Product {
  private static let kinds: Set<ProductKind> = [
    .consumable, .nonConsumable, .nonRenewingSubscription, .autoRenewableSubscription,
  ]

  /// Whether one of its texts contains U+0000.
  fileprivate var hasNullCharacter: Bool {
    get throws {
      // In JSON it is an escape, which an escaped backslash must not be taken for.
      String(decoding: try JSONEncoder().encode(self), as: UTF8.self).replacing(#"\\"#, with: "").contains(#"\u0000"#)
    }
  }

  /// What is wrong with the product's subscription group.
  ///
  /// - Parameter names: the names of each group.
  fileprivate func groupProblems(_ names: [String: Set<String>], at path: String) -> [String] {
    guard let subscription else { return [] }
    let (id, path) = (subscription.groupID, "\(path).subscription")
    guard (1...255).contains(id.utf8.count), !id.unicodeScalars.contains(where: \.isControl) else {
      return ["\(path).groupID: expected 1 to 255 bytes without control characters, got \(id.debugDescription)"]
    }
    guard let others = names[id], others.count > 1 else { return [] }
    let found = others.sorted().map(\.debugDescription).joined(separator: ", ")
    return ["\(path).groupName: expected one name of the group \(id.debugDescription), got \(found)"]
  }

  /// Why the product cannot be sold.
  fileprivate func problems(at path: String) -> [String] {
    var problems: [String] = []
    if !Self.isIdentifier(id) {
      problems.append("\(path).id: expected \(Self.identifierRule), got \(id.debugDescription)")
    }
    if !Self.kinds.contains(kind) {
      let known = Self.kinds.map(\.rawValue).sorted().joined(separator: ", ")
      problems.append("\(path).kind: expected one of \(known), got \"\(kind.rawValue)\"")
    } else if (kind == .autoRenewableSubscription) != (subscription != nil) {
      problems.append("\(path).subscription: expected one for the kind AUTO_RENEWABLE_SUBSCRIPTION and no other")
    }
    if let days = subscription?.graceDays, !Subscription.graceLengths.contains(days) {
      let lengths = Subscription.graceLengths.map(String.init).joined(separator: ", ")
      problems.append("\(path).subscription.graceDays: expected one of \(lengths), got \(days)")
    }
    problems += Self.problems(of: prices, at: path)
    let offers = subscription?.offers.map(\.id) ?? []
    for id in Set(offers) where offers.filter({ $0 == id }).count > 1 {
      problems.append("\(path).subscription.offers: expected offers with ids of their own, got \"\(id)\" twice")
    }
    for (index, offer) in (subscription?.offers ?? []).enumerated() {
      problems += offer.problems(at: "\(path).subscription.offers[\(index)]")
      problems += Self.problems(of: offer.prices, at: "\(path).subscription.offers[\(index)]")
      problems += currencyProblems(of: offer, at: "\(path).subscription.offers[\(index)].prices")
    }
    return problems
  }

  /// The countries in which an offer's price has another currency than the product's: the regular price follows it.
  fileprivate func currencyProblems(of offer: Offer, at path: String) -> [String] {
    offer.prices.compactMap { country, price in
      guard let regular = prices[country], regular.currency != price.currency else { return nil }
      return "\(path).\(country): expected \(regular.currency), as the product costs there, got \(price.currency)"
    }
    .sorted()
  }

  private static func problems(of prices: [CountryCode: Money], at path: String) -> [String] {
    prices.filter { $0.value.minorUnits < 0 }.map { country, price in
      "\(path).prices.\(country).amount: expected 0 or more, got \(price.minorUnits)"
    }
    .sorted()
  }
}

extension Offer {
  /// Why the offer cannot be had.
  fileprivate func problems(at path: String) -> [String] {
    var problems = problems(ofCustomersAt: path)
    if kind != .code, !Product.isIdentifier(id) {
      problems.append("\(path).id: expected \(Product.identifierRule), got \(id.debugDescription)")
    }
    if ![.introductory, .promotional, .winBack, .code].contains(kind) {
      problems.append(
        "\(path).kind: expected INTRODUCTORY, PROMOTIONAL, WIN_BACK or CODE, got \"\(kind.rawValue)\"")
    }
    problems += self.problems(ofPaymentAt: path)
    guard let winBack else { return problems }
    if kind != .winBack {
      problems.append("\(path).winBack: expected one for the kind WIN_BACK and no other")
    }
    let months = [
      "paidMonths": winBack.paidMonths, "lapsedFrom": winBack.lapsedFrom, "waitMonths": winBack.waitMonths,
    ]
    for (name, count) in months.sorted(by: { $0.key < $1.key }) where !(0...120).contains(count) {
      problems.append("\(path).winBack.\(name): expected 0 to 120 months, got \(count)")
    }
    if let end = winBack.lapsedTo, end < winBack.lapsedFrom || end > 120 {
      problems.append("\(path).winBack.lapsedTo: expected \(winBack.lapsedFrom) to 120 months, got \(end)")
    }
    return problems
  }

  private func problems(ofPaymentAt path: String) -> [String] {
    guard [.freeTrial, .payAsYouGo, .payUpFront].contains(mode) else {
      return ["\(path).mode: expected FREE_TRIAL, PAY_AS_YOU_GO or PAY_UP_FRONT, got \"\(mode.rawValue)\""]
    }
    guard mode != .freeTrial, prices.isEmpty else { return [] }
    return ["\(path).prices: expected a price in one country at least: without one nobody can have the offer"]
  }

  private func problems(ofCustomersAt path: String) -> [String] {
    guard let customers else { return [] }
    if kind != .code { return ["\(path).customers: expected them for the kind CODE and no other"] }
    let unknown = customers.filter { ![.new, .active, .expired].contains($0) }
    return unknown.map { "\(path).customers: expected new, active or expired, got \"\($0.rawValue)\"" }
      + (customers.isEmpty ? ["\(path).customers: expected one at least; leave them out for everybody"] : [])
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}
