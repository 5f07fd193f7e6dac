/// The operator's proxies in front of the store: whose entries of `X-Forwarded-For` are believed.
package struct Proxies: Sendable {
  /// Whether a proxy in front of the store adds an entry to `X-Forwarded-For`.
  package let areInFront: Bool
  /// Proxies in front of that one. The entry before one of theirs is believed, too.
  package let known: [NetworkRange]

  package init(areInFront: Bool, known: [NetworkRange]) {
    self.areInFront = areInFront
    self.known = known
  }

  /// The client's address in the entries, of which each proxy has added the address of its caller at the end: the last
  /// one that is no known proxy. Where all are known ones, the first.
  func client(in entries: [String]) -> String? {
    entries.last { entry in
      guard let address = IPAddress(entry) else { return true }
      return !known.contains { $0.contains(address) }
    } ?? entries.first
  }
}
