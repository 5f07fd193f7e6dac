package import Foundation
public import StoreBase

/// The configuration of an OpenID Connect provider, which authenticates people for the store.
public struct OpenIDProvider: Sendable, Hashable {
  /// The provider's id in URLs and in the configuration: lower-case letters and digits.
  public let id: String
  /// The provider's name on pages.
  public var name: String?
  /// The provider's issuer identifier: a URL, exactly as the provider writes it.
  public var issuer: String?
  /// The store's client id at the provider.
  public var clientID: String?
  /// The store's client secret at the provider.
  public var clientSecret: ConfigurationSecret?
  /// How long an answer of the provider may take; tests on a busy machine set a longer time.
  var timeout: Duration = .seconds(10)

  /// A provider with nothing configured but its id; nil unless the id has lower-case letters and digits only.
  public init?(id: String) {
    guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(\.isLowerCaseLetterOrDigit) else { return nil }
    self.id = id
  }

  /// The first required configuration key that is missing; nil when there is none.
  package var missingKey: String? {
    if name == nil { return "name" }
    if issuer == nil { return "issuer" }
    if clientID == nil { return "client_id" }
    return clientSecret == nil ? "client_secret" : nil
  }

  /// Throws if the provider misses something.
  package func check() throws(ConfigurationError) {
    guard let key = missingKey else { return }
    throw .needed(
      name: "openid.\(id).\(key)", reason: "a provider has a name, an issuer, a client_id and a client_secret")
  }

  /// Whether the store calls a URL: only over TLS, or on this machine.
  package static func isAllowed(_ address: URL) -> Bool {
    guard let host = address.host(percentEncoded: false), !host.isEmpty, address.user() == nil,
      address.password() == nil
    else { return false }
    if address.scheme == "https" { return true }
    return address.scheme == "http" && ["127.0.0.1", "::1", "localhost"].contains(host)
  }
}

extension UInt8 {
  fileprivate var isLowerCaseLetterOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}
