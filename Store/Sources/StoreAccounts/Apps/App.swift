import Foundation
public import OnsideCommerce

/// An app that sells through the store.
public struct App: Sendable, Hashable {
  /// Its identifier, for example `io.example.lumen`: OAuth client and bundle at once.
  public var id: String
  /// The name that people see.
  public var name: String
  /// Where the store may send a browser back to.
  public var redirectURIs: [String]
  /// The region where neither an account nor a hint says one; nil for the store's.
  public var defaultCountry: CountryCode?
  /// Where the landing page's button leads: a download, or the app itself. Nil for the app's own scheme.
  public var installURI: String?
  /// What takes a purchase away from its buyer.
  public var rules: RevocationRules

  /// An app; see ``AppDirectory/register(_:)`` for the rules.
  public init(
    id: String, name: String, redirectURIs: [String], defaultCountry: CountryCode? = nil, installURI: String? = nil,
    rules: RevocationRules = RevocationRules()
  ) {
    self.rules = rules
    self.id = id
    self.name = name
    self.redirectURIs = redirectURIs
    self.defaultCountry = defaultCountry
    self.installURI = installURI
  }

  /// True when a browser may be sent to this address: exactly a registered one, or a registered loopback address with
  /// any port (RFC 8252, section 7.3) and, behind it, one path segment that other programs of the machine cannot guess.
  public func accepts(redirect: String) -> Bool {
    // Nothing listens on port 0, whatever was registered: a browser would be sent nowhere.
    if let address = URLComponents(string: redirect), address.isLoopback, let port = address.port,
      !(1...65535).contains(port)
    {
      return false
    }
    // By bytes: Swift's strings count as equal what looks equal, such as K and the sign of the kelvin.
    if redirectURIs.contains(where: { $0.utf8.elementsEqual(redirect.utf8) }) { return true }
    guard var address = URLComponents(string: redirect), address.isLoopback, address.port != nil else { return false }
    address.port = nil
    let candidates = [address, address.withoutSecretSegment].compactMap { $0?.string }
    return redirectURIs.contains { registered in
      guard var known = URLComponents(string: registered), known.isLoopback else { return false }
      known.port = nil
      guard let known = known.string else { return false }
      return candidates.contains { $0.utf8.elementsEqual(known.utf8) }
    }
  }
}

extension URLComponents {
  fileprivate var isLoopback: Bool {
    scheme == "http" && (host == "127.0.0.1" || host == "[::1]") && user == nil && password == nil && fragment == nil
  }

  /// The address without its last path segment; nil unless that is 16 to 64 bytes in base64url.
  fileprivate var withoutSecretSegment: URLComponents? {
    let secret = /(\/.*)\/[A-Za-z0-9_\-]{22,86}/
    guard query == nil, let match = percentEncodedPath.wholeMatch(of: secret) else { return nil }
    var address = self
    address.percentEncodedPath = String(match.1)
    return address
  }
}

/// Why an app cannot be removed.
public enum AppRemovalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The number of active subscriptions, also unpaid and paused ones, and those with the renewal switched off.
  case activeSubscriptions(Int)

  /// What was expected and what came.
  public var description: String {
    switch self {
    case .activeSubscriptions(let count): "expected an app without active subscriptions, got \(count)"
    }
  }
}

/// Why an app cannot be registered.
public enum AppRegistrationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Not letters, digits, dots and dashes, at most 155.
  case invalidIdentifier(String)
  /// Not an absolute address, or one with a fragment, or one of a scheme that runs scripts.
  case invalidRedirect(String)

  /// What was expected and what came.
  public var description: String {
    switch self {
    case .invalidIdentifier(let id):
      "expected an app identifier of letters, digits, dots and dashes such as io.example.lumen, got \"\(id)\""
    case .invalidRedirect(let address):
      "expected https, loopback http or an app's own scheme, such as io.example.lumen://onside, got \"\(address)\""
    }
  }
}

/// A write for an app that is not registered, or not any more.
package struct UnregisteredApp: Error, Hashable, CustomStringConvertible {
  package let id: String

  package var description: String { "expected a registered app, got \"\(id)\"" }
}
