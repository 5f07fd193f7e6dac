package import Foundation
import OnsideAPI

/// `onside://authorize?…`: an app hands a login over to the store's own app. It carries the authorization request
/// (RFC 6749, section 4.1.1; RFC 7636) and the store that it is for, so that a store app refuses another store's.
package struct AuthorizationLink: Hashable, Sendable {
  /// The scheme of the store's app.
  package static let scheme = "onside"
  /// The greatest length of a link, in bytes.
  package static let limit = 8192

  /// The store (RFC 9207's `iss`).
  package let issuer: URL
  /// The app that asks.
  package let clientID: String
  /// The redirect URI.
  package let redirect: URL
  private let challenge: String
  private let state: String
  private let countryHint: String?

  /// The link for a request that would go to the store's authorization page.
  package init?(request page: URL, issuer: URL) {
    self.init(page, issuer: issuer)
  }

  /// Parses a link that an app or a hostile page has opened.
  package init(_ text: String) throws(LinkProblem) {
    guard text.utf8.count <= Self.limit else { throw .tooLong }
    guard let address = URL(string: text), address.scheme?.lowercased() == Self.scheme,
      address.host()?.lowercased() == "authorize", ["", "/"].contains(address.path()), address.user() == nil,
      address.fragment() == nil
    else { throw .unknown }
    guard let issuer = address.single("iss").flatMap(URL.init(string:)), issuer.isSecureWebAddress,
      let link = AuthorizationLink(address, issuer: issuer)
    else { throw .incomplete }
    guard link.isRedirectOfAnApp else { throw .forbiddenRedirect }
    self = link
  }

  private init?(_ address: URL, issuer: URL) {
    guard address.single("response_type") == "code", address.single("code_challenge_method") == "S256",
      let clientID = address.single("client_id"), let challenge = address.single("code_challenge"),
      let redirect = address.single("redirect_uri").flatMap(URL.init(string:)), let state = address.single("state")
    else { return nil }
    self.issuer = issuer
    self.clientID = clientID
    self.redirect = redirect
    self.challenge = challenge
    self.state = state
    countryHint = address.single("country_hint")
  }

  /// The link.
  package var address: URL? {
    URL(string: "\(Self.scheme)://authorize")?.adding(parameters + [(name: "iss", value: issuer.absoluteString)])
  }

  /// The store's page that asks the user.
  package var page: URL { issuer.appending(path: "oauth/authorize").adding(parameters) }

  /// Whether an address is the redirect of this request, with a code or an error.
  package func isAnswer(_ url: URL) -> Bool { ExpectedRedirect(to: redirect, from: page).accepts(url) }

  /// Whether a store is the one that the link is for.
  package func isFor(_ store: URL) -> Bool { Self.name(of: issuer) == Self.name(of: store) }

  private static func name(of store: URL) -> String {
    let text = store.absoluteString
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  private var parameters: [(name: String, value: String)] {
    [
      (name: "response_type", value: "code"), (name: "client_id", value: clientID),
      (name: "redirect_uri", value: redirect.absoluteString), (name: "code_challenge", value: challenge),
      (name: "code_challenge_method", value: "S256"), (name: "state", value: state),
    ] + (countryHint.map { [(name: "country_hint", value: $0)] } ?? [])
  }

  /// An answer goes to an app's own scheme: never to a page, to a script, or back to the store's app.
  private var isRedirectOfAnApp: Bool {
    guard let scheme = redirect.scheme?.lowercased() else { return false }
    return !Self.forbidden.contains(scheme)
  }

  private static let forbidden: Set<String> = [
    scheme, "http", "https", "ws", "wss", "ftp", "javascript", "vbscript", "data", "blob", "about", "file",
    "view-source",
    "resource", "mailto", "tel",
  ]
}

/// Why a link to the store's app is not followed.
package enum LinkProblem: Error, Hashable, Sendable {
  /// It is longer than any app's.
  case tooLong
  /// It is not an authorization request.
  case unknown
  /// A parameter is missing, twice there, or not what it should be.
  case incomplete
  /// Its answer would go to something that is no app.
  case forbiddenRedirect
}

extension URL {
  /// The value of a query parameter that is there once and not empty.
  fileprivate func single(_ name: String) -> String? {
    let values = queryValues(named: name)
    guard values.count == 1, let value = values.first, !value.isEmpty else { return nil }
    return value
  }
}
