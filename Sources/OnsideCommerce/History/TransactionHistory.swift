public import Foundation

/// The payload of a signed history.
public struct TransactionHistory: Sendable, Hashable, Codable {
  /// The transactions.
  public var transactions: [InAppPurchase]

  /// A history of transactions.
  public init(transactions: [InAppPurchase]) { self.transactions = transactions }

  /// Writes histories: keys sorted, slashes as they are, so that the same history is always the same bytes.
  public static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  /// Reads histories.
  public static var decoder: JSONDecoder { JSONDecoder() }
}
