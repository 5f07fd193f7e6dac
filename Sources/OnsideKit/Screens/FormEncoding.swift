package import Foundation

/// `application/x-www-form-urlencoded`, with every character but the unreserved ones percent-encoded.
package enum FormEncoding {
  /// The encoded pairs, in order.
  package static func encode(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
  }

  private static func escape(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension URL {
  /// This address with more query parameters behind those that it has.
  package func adding(_ pairs: [(name: String, value: String)]) -> URL {
    guard !pairs.isEmpty, var components = URLComponents(url: self, resolvingAgainstBaseURL: false) else { return self }
    let present = components.percentEncodedQuery.map { $0.isEmpty ? "" : $0 + "&" } ?? ""
    components.percentEncodedQuery = present + FormEncoding.encode(pairs)
    return components.url ?? self
  }

  /// Whether it is a page that may be opened: https, or plain http that stays on this machine.
  package var isSecureWebAddress: Bool {
    guard let host = host()?.lowercased(), !host.isEmpty else { return false }
    let loopback = ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
    return scheme?.lowercased() == "https" || (scheme?.lowercased() == "http" && loopback)
  }
}
