package import StoreWeb

/// The addresses to which webhooks may be sent. Endpoints are given by merchants, so a request must not reach the
/// network of the store (server-side request forgery).
package enum AddressGuard {
  /// IPv4 addresses that are not global (RFC 6890 and its registry), multicast and broadcast.
  private static let special4 = ranges(
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4")
  /// All global IPv6 addresses. Loopback, `100::`, `5f00::`, `fc00::/7`, `fe80::/10` and multicast are outside it.
  private static let global6 = ranges("2000::/3")
  /// The parts of it that are not global: Teredo and other protocols, documentation.
  private static let special6 = ranges("2001::/23", "2001:db8::/32", "3fff::/20")
  /// IPv4 addresses with a port translator of this network (NAT64), in the last four bytes.
  private static let translated6 = ranges("64:ff9b::/96")
  /// Tunnels to IPv4 (6to4), with the address in the bytes after the first two.
  private static let tunnelled6 = ranges("2002::/16")
  /// The addresses of backends in the operator's own network.
  private static let private46 = ranges(
    "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7")
  /// The addresses at which clouds answer with credentials, beside link-local ones: of Alibaba, Azure, AWS and Google.
  private static let metadata46 = ranges("100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254")

  /// True if an address is in the public internet. IPv6 addresses with an embedded IPv4 address count as that.
  package static func isPublic(_ address: IPAddress) -> Bool {
    switch plain(address) {
    case .four(let bytes): !contain(special4, .four(bytes)) && !contain(metadata46, .four(bytes))
    case .six(let bytes): contain(global6, .six(bytes)) && !contain(special6, .six(bytes))
    }
  }

  /// True if an address belongs to a private network or to this machine. Link-local addresses do not, because clouds
  /// answer with credentials there.
  package static func isPrivate(_ address: IPAddress) -> Bool {
    let address = plain(address)
    return contain(private46, address) && !contain(metadata46, address)
  }

  /// The embedded IPv4 address, if there is one.
  private static func plain(_ address: IPAddress) -> IPAddress {
    guard case .six(let bytes) = address else { return address }
    if contain(translated6, address) || isMapped(bytes) { return .four(Array(bytes[12..<16])) }
    if contain(tunnelled6, address) { return .four(Array(bytes[2..<6])) }
    return address
  }

  /// True for `::ffff:0:0/96`.
  private static func isMapped(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
  }

  private static func contain(_ ranges: [NetworkRange], _ address: IPAddress) -> Bool {
    ranges.contains { $0.contains(address) }
  }

  private static func ranges(_ texts: String...) -> [NetworkRange] { texts.compactMap { NetworkRange($0) } }
}
