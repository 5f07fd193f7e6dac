public import OnsideCommerce

/// The balance of an account of the ledger in one currency: what it received less what it gave.
public struct LedgerBalance: Sendable, Hashable {
  /// The account.
  public let account: LedgerAccount
  /// Positive for what the store has, negative for what it owes or earned.
  public let amount: Money
}
