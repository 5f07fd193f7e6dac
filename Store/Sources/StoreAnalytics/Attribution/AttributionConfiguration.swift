public import Foundation

/// How visits of landing pages are joined with installations.
public struct AttributionConfiguration: Sendable {
  /// How long the token of an install button can be redeemed, in seconds.
  public var claimLifetime: TimeInterval = 3600
  /// Whether an installation without a token may be joined with the only visitor from its address.
  public var isMatching = false
  /// How long before the first launch that visit may have been, in seconds.
  public var matchingWindow: TimeInterval = 3600
  /// How long events are kept, in seconds.
  public var eventRetention: TimeInterval = 400 * 86_400
  /// The identifier of the store's own app, if it has one: its installations have a label of their own.
  public var storeApp: String?

  /// The defaults: tokens only.
  public init() {}
}
