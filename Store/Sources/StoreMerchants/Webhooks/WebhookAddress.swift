import Foundation
package import StoreWeb

/// The address of an endpoint, such as `https://shop.example:8443/webhooks?tenant=7`.
///
/// Plain `http` is for sandboxes, and for private addresses that the operator allows.
package struct WebhookAddress: Sendable, Hashable {
  private static let longest = 2048

  /// The text of the address; scheme and host are in lower case.
  package let text: String
  /// The host, without brackets: a name, or an IP address.
  let host: String
  private let isSecure: Bool
  private let allowsPrivate: Bool
  private let isSandbox: Bool

  /// Parses an address and checks everything that is known before the lookup of its name.
  ///
  /// - Parameters:
  ///   - allowsPrivate: True if the operator allows a private address.
  ///   - isSandbox: True if the store is a sandbox.
  package init(_ text: String, allowsPrivate: Bool, isSandbox: Bool) throws(WebhookAddressError) {
    guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
      var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["https", "http"].contains(scheme)
    else { throw .form }
    guard parts.user == nil, parts.password == nil else { throw .userInfo }
    guard parts.fragment == nil else { throw .fragment }
    guard (1...65_535).contains(parts.port ?? 443) else { throw .port }
    // The other forms of the host have decoded names: `bücher` for `xn--bcher-kva`.
    let host = Self.withoutBrackets(parts.encodedHost ?? "").lowercased()
    guard Self.isName(host) || IPAddress(host) != nil && !host.contains("%") else { throw .host }
    parts.scheme = scheme
    parts.encodedHost = Self.isName(host) ? host : "[\(host)]"
    // The HTTP client replaces this very host by the address that was checked.
    guard let text = parts.string, Self.withoutBrackets(URL(string: text)?.host ?? "") == host else { throw .host }
    (self.text, self.host, isSecure) = (text, host, scheme == "https")
    (self.allowsPrivate, self.isSandbox) = (allowsPrivate, isSandbox)
    guard isSecure || allowsPrivate || isSandbox else { throw .insecure }
    if let address = IPAddress(host), !permits(address) { throw .notPermitted }
  }

  /// True if requests may go to an address of the host.
  package func permits(_ address: IPAddress) -> Bool {
    if AddressGuard.isPrivate(address) { return allowsPrivate }
    return AddressGuard.isPublic(address) && (isSecure || isSandbox)
  }

  /// True for the characters of a host name in ASCII. An IPv4 address is such a name.
  private static func isName(_ host: String) -> Bool {
    let others = Set("-._".utf8)
    return !host.isEmpty
      && host.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || others.contains(byte)
      }
  }

  private static func withoutBrackets(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
