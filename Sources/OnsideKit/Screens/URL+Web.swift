package import Foundation
import OnsideAPI

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
