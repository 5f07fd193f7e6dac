/// What buying a product means: how often it can be bought, and how long it lasts.
public struct ProductKind: RawRepresentable, Sendable, Hashable, Codable {
  /// The name on the wire and in signed histories.
  public let rawValue: String

  /// A kind by its name; unknown names are kept, so that a newer store can add kinds.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Used up, can be bought again: coins.
  public static let consumable = ProductKind(rawValue: "CONSUMABLE")
  /// Bought once, kept for ever, restorable.
  public static let nonConsumable = ProductKind(rawValue: "NON_CONSUMABLE")
  /// Lasts a while and ends by itself: a season pass.
  public static let nonRenewingSubscription = ProductKind(rawValue: "NON_RENEWING_SUBSCRIPTION")
  /// Renews until it is cancelled.
  public static let autoRenewableSubscription = ProductKind(rawValue: "AUTO_RENEWABLE_SUBSCRIPTION")

  /// True when the account keeps what it bought: owned once, not sold again, restored on other devices.
  public var isRestorable: Bool { self == .nonConsumable || self == .autoRenewableSubscription }
}
