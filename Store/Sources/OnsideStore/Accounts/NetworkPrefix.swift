/// The part of an address that one customer of a provider usually has for itself: 24 bits of IPv4, 48 of IPv6.
enum NetworkPrefix {
  static func of(_ address: String) -> String {
    let plain = address.hasPrefix("::ffff:") && address.contains(".") ? String(address.dropFirst(7)) : address
    if plain.contains(".") { return plain.split(separator: ".").prefix(3).joined(separator: ".") }
    let parts = plain.prefix { $0 != "%" }.split(separator: ":", omittingEmptySubsequences: false)
    // What `::` stands for does not matter here unless it stands within the first three groups.
    let groups = parts.prefix { !$0.isEmpty }.prefix(3)
    return groups.joined(separator: ":") + "::/48"
  }
}
