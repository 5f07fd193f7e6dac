package import OnsideCommerce

/// The environment of a store: sandbox, or production with real money. The two never mix; the operator sets the
/// environment.
public enum StoreEnvironment: String, Sendable, Codable, CaseIterable {
  /// Test cards, a clock that can be moved, no real money.
  case sandbox
  /// Real money.
  case production

  /// The environment's value in receipts and purchase histories.
  package var ofPurchases: PurchaseEnvironment {
    switch self {
    case .sandbox: .sandbox
    case .production: .production
    }
  }
}
