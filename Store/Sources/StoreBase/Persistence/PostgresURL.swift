#if canImport(PostgresClient)
  import PostgresClient
#endif

/// The address of a PostgreSQL database, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; several hosts are separated by
/// commas. Printing it never shows the password.
public struct PostgresURL: Sendable, Hashable {
  /// The URL with its password.
  package let text: String
  /// The URL without its password.
  public let description: String

  /// Reads a URL; nil when libpq does not accept it.
  public init?(_ text: String) {
    guard Self.isOne(text) else { return nil }
    #if canImport(PostgresClient)
      guard let address = try? PostgresAddress(text) else { return nil }
      description = "\(address)"
    #else
      description = "postgres://…"
    #endif
    self.text = text
  }

  /// Whether a text is meant to be such a URL.
  static func isOne(_ text: String) -> Bool { ["postgres://", "postgresql://"].contains { text.hasPrefix($0) } }
}

extension PostgresURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of the password.
  public var debugDescription: String { description }
  /// Nothing of the password.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

#if !canImport(PostgresClient)
  extension PostgresURL {
    /// What every use of the address comes to in a build without PostgreSQL.
    var withoutPostgres: DatabaseOpenError {
      .unreadable(path: description, reason: "this program was built without PostgreSQL (ONSIDE_WITHOUT_POSTGRES)")
    }
  }
#endif
