import OnsideCommerce

/// Where a device has read to: the number of the newest change that it knows, and the region it believes in.
struct SyncCursor: Sendable, Equatable {
  let change: Int64
  let country: CountryCode

  init(change: Int64, country: CountryCode) {
    self.change = change
    self.country = country
  }

  /// Reads the text on the wire; nil when it is none of this store's.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let change = Int64(parts[0]), change >= 0,
      let country = CountryCode(alpha2: String(parts[1]))
    else { return nil }
    self.init(change: change, country: country)
  }

  /// The text on the wire; opaque to everybody else.
  var text: String { "\(change)-\(country.alpha2)" }
}
