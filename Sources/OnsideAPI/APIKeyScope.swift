/// A right of an API key. A struct, so that a new scope breaks no client.
public struct APIKeyScope: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name of the scope.
  public let rawValue: String

  /// Makes a scope from its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The name of the scope.
  public var description: String { rawValue }

  /// Reads events, orders and customers.
  public static let read = APIKeyScope(rawValue: "read")
  /// Refunds orders, grants products, and extends and stops subscriptions.
  public static let support = APIKeyScope(rawValue: "support")
  /// Reads reports.
  public static let finance = APIKeyScope(rawValue: "finance")

  /// Every scope of this version.
  public static let all: [APIKeyScope] = [read, support, finance]
}
