/// Why the charges of a local subscription are refused.
public struct LocalBillingIssue: RawRepresentable, Sendable, Hashable, Codable {
  /// The name, for example `CARD_DECLINED`.
  public let rawValue: String

  /// An issue by its name; an unknown one counts as ``cardDeclined``.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The bank declines; the charge is tried again every three days.
  public static let cardDeclined = LocalBillingIssue(rawValue: "CARD_DECLINED")
  /// The card will never pay: nothing is tried until the account has another one.
  public static let cardLost = LocalBillingIssue(rawValue: "CARD_LOST")
  /// The bank asks for the buyer: nothing is tried until the buyer has paid by hand.
  public static let authenticationRequired = LocalBillingIssue(rawValue: "AUTHENTICATION_REQUIRED")

  /// Whether the charge is not tried again by itself.
  var isFinal: Bool { self == .cardLost || self == .authenticationRequired }
}

/// The charges of a subscription that are to be refused.
struct LocalRefusals: Codable, Hashable, Sendable {
  let issue: LocalBillingIssue
  /// How many are left; nil for all until the issue is fixed.
  var left: Int?

  /// Takes one; nil when none is left.
  mutating func next() -> LocalBillingIssue? {
    guard let left else { return issue }
    guard left > 0 else { return nil }
    self.left = left - 1
    return issue
  }
}
