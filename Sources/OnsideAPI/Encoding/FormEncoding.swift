import Foundation

/// `application/x-www-form-urlencoded`, the format of a query and of a submitted form.
public enum FormEncoding {
  /// The encoded pairs, in order. Everything but the unreserved characters is percent-encoded.
  public static func encode(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
  }

  /// A decoded name or value; nil for broken escapes.
  public static func decode(_ text: Substring) -> String? { text.replacing("+", with: " ").removingPercentEncoding }
}
