/// What takes purchases of an app away from their buyers.
public struct RevocationRules: Sendable, Hashable {
  /// Which refunds do.
  public var refund: RefundRule
  /// When a dispute does.
  public var dispute: DisputeRule
  /// What a bank's warning of fraud does.
  public var fraud: FraudRule

  /// The usual rules where none is named.
  public init(refund: RefundRule = .whole, dispute: DisputeRule = .lost, fraud: FraudRule = .keep) {
    (self.refund, self.dispute, self.fraud) = (refund, dispute, fraud)
  }
}
