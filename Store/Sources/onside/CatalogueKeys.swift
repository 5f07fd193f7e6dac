import Foundation

/// The keys of a catalogue in JSON. Decoders pass over keys that they do not know: a misspelt one would change what is
/// sold without a word.
enum CatalogueKeys {
  private static let price: Set = ["amount", "currency"]
  private static let product: Set = [
    "id", "kind", "referenceName", "localizations", "prices", "subscription", "iconURL", "familyShareable",
  ]
  private static let subscription: Set = ["groupID", "groupName", "level", "period", "offers", "graceDays"]
  private static let offer: Set = ["id", "kind", "mode", "period", "periodCount", "prices", "winBack", "customers"]

  /// Where the file has keys that no catalogue has, and which are known there.
  static func unknown(in data: Data) -> [String] {
    guard let file = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else { return [] }
    return check(file, ["default_language", "products"], at: "")
      + objects(in: file["products"], at: "products").flatMap { product($0, at: $1) }
  }

  private static func product(_ object: [String: Any], at path: String) -> [String] {
    let texts = objects(in: object["localizations"], at: "\(path).localizations").flatMap {
      check($0, ["language", "title", "description"], at: $1)
    }
    let known = check(object, product, at: path) + texts + prices(of: object, at: path)
    guard let subscription = object["subscription"] as? [String: Any] else { return known }
    let place = "\(path).subscription"
    return known + check(subscription, Self.subscription, at: place)
      + objects(in: subscription["offers"], at: "\(place).offers").flatMap { offer($0, at: $1) }
  }

  private static func offer(_ object: [String: Any], at path: String) -> [String] {
    let rule = object["winBack"] as? [String: Any] ?? [:]
    return check(object, offer, at: path) + prices(of: object, at: path)
      + check(rule, ["paidMonths", "lapsedFrom", "lapsedTo", "waitMonths"], at: "\(path).winBack")
  }

  private static func prices(of object: [String: Any], at path: String) -> [String] {
    (object["prices"] as? [String: Any] ?? [:]).sorted { $0.key < $1.key }.flatMap { country, price in
      check(price as? [String: Any] ?? [:], Self.price, at: "\(path).prices.\(country)")
    }
  }

  private static func objects(in value: Any?, at path: String) -> [([String: Any], String)] {
    (value as? [Any] ?? []).enumerated().compactMap { index, element in
      (element as? [String: Any]).map { ($0, "\(path)[\(index)]") }
    }
  }

  private static func check(_ object: [String: Any], _ known: Set<String>, at path: String) -> [String] {
    object.keys.filter { !known.contains($0) }.sorted().map { key in
      let place = path.isEmpty ? key : "\(path).\(key)"
      return "\(place): unknown key; known here are \(known.sorted().joined(separator: ", "))"
    }
  }
}
