/// Whether a purchase was paid with real money.
public struct PurchaseEnvironment: RawRepresentable, Sendable, Hashable, Codable {
  /// The name in signed histories.
  public let rawValue: String

  /// An environment by its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Paid with a test card: worth nothing.
  public static let sandbox = PurchaseEnvironment(rawValue: "SANDBOX")
  /// Paid with real money.
  public static let production = PurchaseEnvironment(rawValue: "PRODUCTION")
}
