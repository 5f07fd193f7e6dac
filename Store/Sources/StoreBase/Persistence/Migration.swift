import Crypto
import Foundation
import OnsideAPI

/// One numbered step of the tables. A step that was released is never edited: the checksum of its text for the engine
/// is kept in the database. Each module has a list of its own steps.
///
/// A step has a text for each engine. In PostgreSQL's, every column of text has `COLLATE "C"`, so that both engines
/// compare and order text by its bytes. No PostgreSQL database is older than step 161, so the texts for PostgreSQL up
/// to that step make tables and convert no rows.
public struct Migration: Sendable {
  /// Steps are applied in the order of their numbers.
  public let number: Int
  /// What it is about, for people.
  public let name: String
  /// SQLite's text: one or more statements.
  public let sql: String
  /// PostgreSQL's text: one or more statements.
  public let postgres: String

  /// A step of the tables.
  ///
  /// - Parameter postgres: nil when `sql` runs unchanged on PostgreSQL.
  public init(_ number: Int, name: String, sql: String, postgres: String? = nil) {
    self.number = number
    self.name = name
    self.sql = sql
    self.postgres = postgres ?? sql
  }

  /// The checksum of a step's SQL.
  static func checksum(of sql: String) -> String {
    Hexadecimal.encode(SHA256.hash(data: Data(sql.utf8)))
  }
}
