/// The environment, sandbox or production, that is written in a database, so that no database mixes test purchases with
/// real ones (STO-13).
package struct DatabaseEnvironment {
  private static let name = "environment"

  private let environment: StoreEnvironment

  package init(_ environment: StoreEnvironment) { self.environment = environment }

  /// Refuses a database of another environment. A database without a mark, which no store has served yet, fits every
  /// environment.
  package func check(_ database: any Database) async throws {
    let found = try await database.read { try StoreSettings(connection: $0).value(Self.name) }
    try compare(found ?? environment.rawValue)
  }

  /// Writes the environment into a database without a mark, when a store starts to serve it.
  package func write(_ database: any Database) async throws {
    let found = try await database.write { [environment] connection in
      try StoreSettings(connection: connection).value(Self.name, orSet: environment.rawValue)
    }
    try compare(found)
  }

  private func compare(_ found: String) throws(EnvironmentMismatch) {
    guard found != environment.rawValue else { return }
    throw EnvironmentMismatch(expected: environment.rawValue, found: found)
  }
}

/// A database of another environment than the store's. Nothing was changed.
public struct EnvironmentMismatch: Error, Sendable, Equatable, CustomStringConvertible {
  /// The environment of the configuration.
  public let expected: String
  /// The environment of the database.
  public let found: String

  /// The message for the operator: the problem and its remedy.
  public var description: String {
    """
    expected the database of a \(expected) store, got one of a \(found) store. \
    Give another file with --database, or set environment = "\(found)".
    """
  }
}
