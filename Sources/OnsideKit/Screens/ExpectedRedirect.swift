package import Foundation

/// The redirect that ends a screen: an address, and the `state` that the screen's page was opened with.
package struct ExpectedRedirect: Hashable, Sendable {
  private let address: URL
  private let state: String?

  /// The redirect to `address` of a page; a page without `state` in its query needs none in the redirect.
  package init(to address: URL, from page: URL) {
    self.address = address
    self.state = page.queryValues(named: "state").first
  }

  /// The redirect to `address` with a `state`.
  package init(to address: URL, state: String) {
    self.address = address
    self.state = state
  }

  /// Whether `url` is this redirect: the same address but for its query, and the same `state`, once.
  package func accepts(_ url: URL) -> Bool {
    guard
      url.scheme?.lowercased() == address.scheme?.lowercased(),
      url.host()?.lowercased() == address.host()?.lowercased(),
      url.port == address.port, url.normalizedPath == address.normalizedPath
    else { return false }
    return state == nil || url.queryValues(named: "state") == state.map { [$0] }
  }
}

extension URL {
  /// The decoded values of a query parameter, in order.
  func queryValues(named name: String) -> [String] {
    URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems?
      .filter { $0.name == name }.map { $0.value ?? "" } ?? []
  }

  fileprivate var normalizedPath: String {
    let path = path(percentEncoded: true)
    return path.isEmpty ? "/" : path
  }
}
