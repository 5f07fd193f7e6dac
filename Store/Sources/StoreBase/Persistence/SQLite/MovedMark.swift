import Foundation

/// The mark of a SQLite database whose data was moved to PostgreSQL. No program opens a database that has it: two
/// stores would go on from the same orders.
package struct MovedMark: Codable, Equatable {
  private static let setting = "moved"

  /// The address of the PostgreSQL database, without its password.
  package let target: String
  /// The name of the move, which the PostgreSQL database has from the moment it has the data.
  package let token: String
  /// Whether the PostgreSQL database is known to have the data. If not, the move was cut short in its last step.
  package var isComplete: Bool

  package init(target: String, token: String, isComplete: Bool) {
    self.target = target
    self.token = token
    self.isComplete = isComplete
  }

  /// The mark, or nil. The table of settings has to be there.
  package static func read(_ connection: any SQLConnection) throws -> MovedMark? {
    guard let text = try StoreSettings(connection: connection).value(setting) else { return nil }
    return try JSONDecoder().decode(MovedMark.self, from: Data(text.utf8))
  }

  /// Refuses a database that has the mark.
  package static func requireNone(in connection: any SQLConnection, path: String) throws {
    guard try connection.tableNames().contains("settings"), let mark = try read(connection) else { return }
    throw DatabaseOpenError.moved(path: path, to: mark.target, isComplete: mark.isComplete)
  }

  package func write(_ connection: any SQLConnection) throws {
    let text = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    try StoreSettings(connection: connection).set(Self.setting, to: text)
  }

  package static func remove(from connection: any SQLConnection) throws {
    try StoreSettings(connection: connection).remove(setting)
  }
}
