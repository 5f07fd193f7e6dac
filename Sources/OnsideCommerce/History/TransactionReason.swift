/// Why a transaction exists.
public struct TransactionReason: RawRepresentable, Sendable, Hashable, Codable {
  /// The name on the wire and in signed histories.
  public let rawValue: String

  /// A reason by its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A person bought it.
  public static let purchase = TransactionReason(rawValue: "PURCHASE")
  /// A subscription renewed, also with a plan that was chosen for the renewal.
  public static let renewal = TransactionReason(rawValue: "RENEWAL")
  /// A person bought another plan of a subscription that was not over; it started at once.
  public static let planChange = TransactionReason(rawValue: "PLAN_CHANGE")
  /// The store granted it at price 0: the operator gave it, or it replaces a revoked purchase, because a refund has
  /// failed or a dispute was won.
  public static let grant = TransactionReason(rawValue: "GRANT")
}

/// Why a purchase was taken back.
public struct RevocationReason: RawRepresentable, Sendable, Hashable, Codable {
  /// The name on the wire and in signed histories.
  public let rawValue: String

  /// A reason by its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The buyer got the money back.
  public static let refund = RevocationReason(rawValue: "REFUND")
  /// The store's support took it back.
  public static let support = RevocationReason(rawValue: "SUPPORT")
  /// The bank took the money back.
  public static let chargeback = RevocationReason(rawValue: "CHARGEBACK")
}
