import Foundation

/// Short log texts for parameters and values.
enum LogText {
  static let limit = 120

  /// A result or event in short. Signed histories are left out, because they list the purchases of an account.
  static func value(_ value: Any?, of function: String) -> String {
    if function == "getSignedInAppsHistory" { return "signed history" }
    switch value {
    case nil, is NSNull: return ""
    case let transactions as [[String: Any]]: return transactions.map(transaction).joined(separator: ", ")
    case let object as [String: Any]:
      if let products = object["products"] as? [Any] {
        return products.count == 1 ? "1 product" : "\(products.count) products"
      }
      if let question = object["transaction"] as? [String: Any] {
        let storefront = (object["storefront"] as? [String: Any])?["countryCode"] as? String
        return transaction(question) + (storefront.map { " in \($0)" } ?? "")
      }
      if let country = object["countryCode"] as? String { return country }
      return compact(object)
    default: return compact(value ?? "")
    }
  }

  private static func transaction(_ object: [String: Any]) -> String {
    let product = (object["payment"] as? [String: Any])?["product"] as? [String: Any]
    return "\(product?["productIdentifier"] ?? "?") \(object["transactionState"] ?? "?")"
  }

  static func compact(_ value: Any) -> String {
    let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return "?" }
    return short(String(decoding: data, as: UTF8.self))
  }

  static func short(_ text: String) -> String {
    text.count <= limit ? text : "\(text.prefix(limit))… (\(text.utf8.count) bytes)"
  }
}
