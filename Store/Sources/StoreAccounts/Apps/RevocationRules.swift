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

/// The refunds that revoke a purchase, by the rule of its app.
public enum RefundRule: String, Sendable, Hashable, CaseIterable {
  /// A refund of the whole price.
  case whole
  /// Every refund, including partial ones, except refunds of unused time.
  case any
}

/// The moment at which a dispute revokes a purchase.
public enum DisputeRule: String, Sendable, Hashable, CaseIterable {
  /// When it is lost.
  case lost
  /// When the bank takes the money. A dispute that is won grants the purchase again.
  case withdrawn
}

/// The effect of an early fraud warning of a bank.
public enum FraudRule: String, Sendable, Hashable, CaseIterable {
  /// It is written down, for the operator.
  case keep
  /// The money goes back at once, which spares the dispute and its fee.
  case refund
}
