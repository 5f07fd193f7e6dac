import Foundation

/// Where a page comes from: scheme, host and port, as browsers compare them (RFC 6454). What is told apart by an origin
/// is compared whole, never by prefix.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The scheme, in lower case.
  public let scheme: String
  /// The host, in lower case; a name in its ASCII form.
  public let host: String
  /// The port; nil when it is the scheme's own.
  public let port: Int?

  /// The origin of an address; nil when it has none that could be trusted: `about:`, `data:`, `blob:`, `file:` and the
  /// like, or text that browsers might read in another way.
  public init?(_ address: String) {
    guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
      let parts = URLComponents(string: address),
      let scheme = parts.scheme?.lowercased(), !Self.opaque.contains(scheme),
      let host = parts.encodedHost?.lowercased(), !host.isEmpty, !host.contains("%"),
      address.dropFirst(scheme.count).hasPrefix("://")
    else { return nil }
    if let port = parts.port, !(1...65535).contains(port) { return nil }
    self.scheme = scheme
    self.host = host
    port = parts.port == Self.usualPorts[scheme] ? nil : parts.port
  }

  /// As JavaScript's `location.origin` has it, for example `https://shop.example`.
  public var description: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

  private static let opaque: Set = ["about", "blob", "data", "file", "filesystem", "javascript", "view-source"]
  private static let usualPorts = ["http": 80, "https": 443, "ws": 80, "wss": 443]
}
