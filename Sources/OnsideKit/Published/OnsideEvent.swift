/// What happened in the app, for ``Onside/trackEvent(_:parameters:)``.
///
/// A name is a letter, then letters, digits and `_`, at most 40 characters; `onside_` and `$$` in front are reserved.
public struct OnsideEventName: RawRepresentable, Hashable, Sendable, Codable {
  /// The name.
  public let rawValue: String

  /// Makes a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Something was bought. Usual parameters: `currency`, `amount`. The JavaScript name is `purchaseCompleted`.
  public static let purchaseCompleted = OnsideEventName(rawValue: "purchase_completed")
  /// A subscription has begun. Usual parameters: `currency`, `amount`. The JavaScript name is `subscriptionStarted`.
  public static let subscriptionStarted = OnsideEventName(rawValue: "subscription_started")
}

/// The value of an event's parameter: write it as a literal, `["amount": 9.99, "level": 3, "tags": ["new", "sale"]]`.
public enum OnsideEventValue: Hashable, Sendable, Codable {
  /// A text; over 100 characters it is cut.
  case string(String)
  /// A whole number.
  case integer(Int)
  /// Any other number; NaN and infinities are dropped.
  case number(Double)
  /// True or false.
  case bool(Bool)
  /// A list of such values; lists within it are dropped.
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
