/// The name of an analytics event, for `trackEvent(_:parameters:)` of ``Onside``.
///
/// A name is a letter, then letters, digits and `_`, at most 40 characters; the prefixes `onside_` and `$$` are
/// reserved. Two names are predefined; an app may add its own as constants in an extension.
public struct OnsideEventName: RawRepresentable, Hashable, Sendable, Codable {
  /// The name as it is sent.
  public let rawValue: String

  /// Makes a name. It is not checked here: `trackEvent` applies the rules.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Something was bought. Usual parameters: `currency`, `amount`. The JavaScript name is `purchaseCompleted`.
  public static let purchaseCompleted = OnsideEventName(rawValue: "purchase_completed")
  /// A subscription has begun. Usual parameters: `currency`, `amount`. The JavaScript name is `subscriptionStarted`.
  public static let subscriptionStarted = OnsideEventName(rawValue: "subscription_started")
}

/// The value of an event's parameter; written as a literal: `["amount": 9.99, "level": 3, "tags": ["new", "sale"]]`.
public enum OnsideEventValue: Hashable, Sendable, Codable {
  /// A string; over 100 characters it is truncated.
  case string(String)
  /// An integer.
  case integer(Int)
  /// A floating-point number; NaN and infinities are dropped.
  case number(Double)
  /// A Boolean.
  case bool(Bool)
  /// A list of at most 100 such values; further ones, and lists within it, are dropped.
  case array([OnsideEventValue])
}

extension OnsideEventValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A list.
  public init(arrayLiteral elements: OnsideEventValue...) { self = .array(elements) }
}
