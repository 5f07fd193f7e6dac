/// The part of an address that one customer of a provider usually has for itself: what limits are counted by.
package enum NetworkPrefix {
  /// 24 bits of IPv4, 48 of IPv6: for limits on what is dear.
  package static func of(_ address: String) -> String {
    guard let parsed = IPAddress(address) else { return address }
    switch parsed {
    case .four(let bytes): return bytes.prefix(3).map(String.init).joined(separator: ".")
    case .six(let bytes): return prefix(bytes)
    }
  }

  /// The whole of IPv4, where many people share one address already, and 48 bits of IPv6, where everyone has more
  /// addresses than any limiter remembers: for limits on requests.
  package static func ofCaller(_ address: String) -> String {
    guard let parsed = IPAddress(address) else { return address }
    switch parsed {
    case .four(let bytes): return bytes.map(String.init).joined(separator: ".")
    case .six(let bytes): return prefix(bytes)
    }
  }

  /// The whole of IPv4, and 56 bits of IPv6, the network of a household: for budgets that the customers of one provider
  /// must not share.
  package static func ofHousehold(_ address: String) -> String {
    guard let parsed = IPAddress(address) else { return address }
    switch parsed {
    case .four(let bytes): return bytes.map(String.init).joined(separator: ".")
    case .six(let bytes): return prefix(bytes, count: 7)
    }
  }

  private static func prefix(_ bytes: [UInt8], count: Int = 6) -> String {
    let kept = bytes.prefix(count) + Array(repeating: 0, count: 8 - count)
    let groups = stride(from: 0, to: count, by: 2).map { String(Int(kept[$0]) << 8 | Int(kept[$0 + 1]), radix: 16) }
    return groups.joined(separator: ":") + "::/\(8 * count)"
  }
}
