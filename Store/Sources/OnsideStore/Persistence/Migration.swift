import Crypto
import Foundation
import OnsideAPI

/// One numbered step of the tables. A step that was released is never edited: the checksum of its text is kept in the
/// database. Each folder brings its own steps.
public struct Migration: Sendable {
  /// Steps are applied in the order of their numbers.
  public let number: Int
  /// What it is about, for people.
  public let name: String
  /// One or more statements.
  public let sql: String

  /// A step of the tables.
  public init(_ number: Int, name: String, sql: String) {
    self.number = number
    self.name = name
    self.sql = sql
  }

  var checksum: String {
    Hexadecimal.encode(SHA256.hash(data: Data(sql.utf8)))
  }
}
