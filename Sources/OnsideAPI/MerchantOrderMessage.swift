/// A paid order of an app, for the merchant's backend.
public struct MerchantOrderMessage: Hashable, Sendable, Codable {
  /// The order, with the fields that it has in events.
  public var order: PayloadValue
  /// The sequence of the order's newest event; 0 for an order without events.
  public var sequence: Int64

  /// Makes an answer.
  public init(order: PayloadValue, sequence: Int64) {
    self.order = order
    self.sequence = sequence
  }
}
