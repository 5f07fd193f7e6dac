package import OnsideCommerce

/// Where a device has read to: the number of the account's newest change that it knows, the region it believes in, and
/// the epoch in which changes were numbered.
package struct SyncCursor: Sendable, Equatable {
  package let change: Int64
  package let country: CountryCode
  package let epoch: String

  package init(change: Int64, country: CountryCode, epoch: String) {
    self.change = change
    self.country = country
    self.epoch = epoch
  }

  /// Reads the text on the wire; nil when it is none. Cursors of the first version name no epoch.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let change = Int64(parts[0]), change >= 0,
      let country = CountryCode(alpha2: String(parts[1]))
    else { return nil }
    self.init(change: change, country: country, epoch: parts.count == 3 ? String(parts[2]) : "")
  }

  /// The text on the wire; opaque to everybody else.
  package var text: String { "\(change)-\(country.alpha2)-\(epoch)" }
}
