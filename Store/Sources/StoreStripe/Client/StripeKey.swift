/// A key of Stripe's API. Printing it shows nothing.
struct StripeKey: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What a key may be used for.
  enum Kind: String, Sendable {
    /// For the server: everything.
    case secret = "sk"
    /// For the server: what was permitted when it was made.
    case restricted = "rk"
    /// For pages: public.
    case publishable = "pk"
  }

  let value: String
  let kind: Kind
  /// Whether the key moves real money; else it is a test key.
  let isLive: Bool

  /// Reads a key such as `sk_test_…`; nil for any other text.
  init?(_ text: String) {
    let parts = text.split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let kind = Kind(rawValue: String(parts[0])), ["test", "live"].contains(parts[1]),
      (1...255).contains(parts[2].utf8.count), parts[2].utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    value = text
    self.kind = kind
    isLive = parts[1] == "live"
  }

  /// Nothing of the key.
  var description: String { "redacted" }
  /// Nothing of the key.
  var debugDescription: String { description }
  /// Nothing of the key.
  var customMirror: Mirror { Mirror(self, children: []) }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
