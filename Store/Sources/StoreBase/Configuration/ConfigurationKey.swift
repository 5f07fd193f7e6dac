import Foundation
import StoreAccounts
import StoreBase

/// One thing that can be configured: its name in the file, in the environment, and what it means.
public struct ConfigurationKey: Sendable {
  /// The name in the file, with its table: `limits.connections`.
  public let name: String
  /// What a value has to be.
  public let expected: String
  /// What a number counts; nil where there is nothing to count.
  public let unit: String?
  /// True when a value that was refused is not shown: it is, or may hold, a secret.
  public let isSecret: Bool
  let write: @Sendable (ConfigurationValue, inout ServeConfiguration) -> Bool
  let literal: @Sendable (ServeConfiguration) -> String?

  init<Value: Sendable>(
    _ name: String, path: any WritableKeyPath<ServeConfiguration, Value> & Sendable, kind: ConfigurationKind<Value>,
    unit: String? = nil
  ) {
    self.name = name
    self.expected = kind.expected
    self.unit = unit
    isSecret =
      Value.self == MessageSecret?.self || Value.self == MessageHeaders.self || Value.self == DatabaseLocation.self
    write = { given, configuration in
      guard let value = kind.parse(given) else { return false }
      configuration[keyPath: path] = value
      return true
    }
    literal = { kind.literal($0[keyPath: path]) }
  }

  /// The name of the environment variable: `ONSIDE_LIMITS_CONNECTIONS`.
  public var variable: String { "ONSIDE_" + name.uppercased().replacing(".", with: "_") }

  /// Variables of the SDK, its samples and the tests: they may be set where a store is started.
  static let variablesOfOthers: Set = [
    "ONSIDE_STORE_URL", "ONSIDE_APP_ID", "ONSIDE_STORAGE_FOLDER", "ONSIDE_CALLBACK_SCHEME", "ONSIDE_KILL_AT",
    "ONSIDE_PAGE_PREVIEW", "ONSIDE_CLAIM_TOKEN", "ONSIDE_STOREKIT_FOLDER",
  ]

  /// The default in the file's notation; nil when there is none.
  public var defaultLiteral: String? { literal(ServeConfiguration()) }
}
