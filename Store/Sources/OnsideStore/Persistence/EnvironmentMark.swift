/// What a database says of the environment that it was made for, so that test purchases and real ones never stand in one
/// (STO-13).
struct EnvironmentMark {
  private static let name = "environment"

  private let environment: StoreEnvironment

  init(_ environment: StoreEnvironment) { self.environment = environment }

  /// Refuses a database of another environment. One without a mark is anybody's: no store has served it yet.
  func check(_ database: any Database) async throws {
    let found = try await database.read { try StoreSettings(connection: $0).value(Self.name) }
    try compare(found ?? environment.rawValue)
  }

  /// Marks a database that has no mark yet: what a store that serves does at its start.
  func write(_ database: any Database) async throws {
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

  /// What is wrong and what to do.
  public var description: String {
    """
    expected the database of a \(expected) store, got one of a \(found) store. \
    Give another file with --database, or set environment = "\(found)".
    """
  }
}
