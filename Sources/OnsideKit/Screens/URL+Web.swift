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
}
