import Foundation

/// Somebody else who knows people, and tells the store who they are by OpenID Connect.
public struct OpenIDProvider: Sendable, Hashable {
  /// Names it in addresses and in the configuration: lower-case letters and digits.
  public let id: String
  /// What people call it.
  public var name: String?
  /// Its issuer identifier: an address, exactly as it names itself.
  public var issuer: String?
  /// What it knows the store as.
  public var clientID: String?
  /// What the store proves itself to it with.
  public var clientSecret: MessageSecret?
  /// How long one of its answers may take; tests on a busy machine take longer.
  var timeout: Duration = .seconds(10)

  /// A provider of which nothing is known but its id; nil unless that has lower-case letters and digits only.
  public init?(id: String) {
    guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(\.isLowerCaseLetterOrDigit) else { return nil }
    self.id = id
  }

  /// The key that is needed and missing; nil when there is none.
  var missingKey: String? {
    if name == nil { return "name" }
    if issuer == nil { return "issuer" }
    if clientID == nil { return "client_id" }
    return clientSecret == nil ? "client_secret" : nil
  }

  /// Whether the store calls an address: over TLS, or on this machine.
  static func isAllowed(_ address: URL) -> Bool {
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
