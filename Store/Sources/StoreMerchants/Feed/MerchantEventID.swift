/// The id of an event, `evt_<epoch>_<number>`: unique in the store's history of an app, and the cursor of the feed. The
/// number is the event's place among the events of its app; the epoch is that in which it was assigned.
package struct MerchantEventID: Hashable, Sendable {
  private static let prefix = "evt_"

  package let epoch: String
  package let number: Int64

  package init(epoch: String, number: Int64) {
    self.epoch = epoch
    self.number = number
  }

  /// Parses a text; nil for another form.
  package init?(_ text: String) {
    // The epoch may contain underscores.
    guard text.hasPrefix(Self.prefix), let separator = text.lastIndex(of: "_") else { return nil }
    let start = text.index(text.startIndex, offsetBy: Self.prefix.count)
    guard start < separator else { return nil }
    let digits = text[text.index(after: separator)...]
    guard let number = Int64(digits), number > 0, String(number) == digits else { return nil }
    self.init(epoch: String(text[start..<separator]), number: number)
  }

  package var text: String { "\(Self.prefix)\(epoch)_\(number)" }
}
