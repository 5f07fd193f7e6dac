import CFileIdentity
import Foundation
package import GRDB
import GRDBSQLite
import Synchronization

/// ``SQLConnection`` on one SQLite connection. Statements are prepared once per connection (GRDB keeps them) and bound
/// and stepped directly, since this is the hot path of every order.
package struct SQLiteConnection: SQLConnection {
  package let database: GRDB.Database

  package init(database: GRDB.Database) {
    self.database = database
  }

  @discardableResult
  package func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    let statement = try prepare(sql, arguments).sqliteStatement
    defer { sqlite3_reset(statement) }
    while try step(statement) {}
    return Int(sqlite3_changes(database.sqliteConnection))
  }

  package func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    let prepared = try prepare(sql, arguments)
    let (statement, columns) = (prepared.sqliteStatement, prepared.columnNames)
    defer { sqlite3_reset(statement) }
    let count = Int32(columns.count)
    var rows: [SQLRow] = []
    while try step(statement) {
      rows.append(SQLRow(columns: columns, values: (0..<count).map { value(statement, column: $0) }))
    }
    return rows
  }

  package func tableNames() throws(StorageError) -> [String] {
    try rows("SELECT name FROM sqlite_master WHERE type = 'table'", [])
      .map { row throws(StorageError) in try row.text("name") }
  }

  /// Nil for a database in memory, and on a file system that does not record when a file was created.
  package func databaseIdentity() throws(StorageError) -> String? {
    let path = try row("SELECT file FROM pragma_database_list WHERE name = 'main'")?.text("file") ?? ""
    var identity = file_identity()
    guard !path.isEmpty, file_identity_of(path, &identity) == 0 else { return nil }
    return "file \(identity.number) \(identity.seconds).\(identity.nanoseconds)"
  }

  /// Runs a query without parameters and passes on each row when it is read, so that a table of any size fits.
  package func forEachRow(of sql: String, _ body: ([SQLValue]) throws -> Void) throws {
    let prepared = try prepare(sql, [])
    let statement = prepared.sqliteStatement
    defer { sqlite3_reset(statement) }
    let count = Int32(prepared.columnNames.count)
    while try step(statement) { try body((0..<count).map { value(statement, column: $0) }) }
  }

  private func prepare(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> GRDB.Statement {
    let prepared: GRDB.Statement
    do {
      prepared = try database.cachedStatement(sql: PositionalSQL.text(of: sql))
    } catch {
      throw StorageError(error)
    }
    let statement = prepared.sqliteStatement
    guard sqlite3_bind_parameter_count(statement) == Int32(arguments.count) else {
      preconditionFailure("\(arguments.count) values for the parameters of: \(sql)")
    }
    for (index, argument) in arguments.enumerated() {
      try argument.requireKeepable(number: index + 1)
      guard bind(argument, at: Int32(index + 1), of: statement) == SQLITE_OK else { throw lastError }
    }
    return prepared
  }

  private func bind(_ value: SQLValue, at index: Int32, of statement: OpaquePointer) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let number): return sqlite3_bind_int64(statement, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          // An empty buffer may have no address, and no address means null to SQLite.
          guard let address = characters.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, copied) }
          return sqlite3_bind_text(statement, index, address, Int32(characters.count), copied)
        }
      }
    case .blob(let bytes):
      guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
      return bytes.withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), copied) }
    }
  }

  /// SQLite's mark for "make a copy of these bytes".
  private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  /// True when there is a row.
  private func step(_ statement: OpaquePointer) throws(StorageError) -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw lastError
    }
  }

  private func value(_ statement: OpaquePointer, column: Int32) -> SQLValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_TEXT:
      let count = Int(sqlite3_column_bytes(statement, column))
      let bytes = UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count)
      return .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, column))
      return .blob([UInt8](UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count)))
    case SQLITE_NULL: return .null
    default: preconditionFailure("A floating point value in the database: no column may hold one")
    }
  }

  private var lastError: StorageError {
    let connection = database.sqliteConnection
    return StorageError(
      code: sqlite3_extended_errcode(connection), message: String(cString: sqlite3_errmsg(connection)))
  }
}

/// SQLite numbers a parameter written `$1` by its first appearance; `?1` is numbered as written.
private enum PositionalSQL {
  private static let known = Mutex<[String: String]>([:])

  static func text(of sql: String) -> String {
    if let text = known.withLock({ $0[sql] }) { return text }
    let text = sql.replacing("$", with: "?")
    known.withLock { $0[sql] = text }
    return text
  }
}

extension SQLValue {
  /// Refuses what PostgreSQL cannot keep, so that both engines keep the same texts.
  fileprivate func requireKeepable(number: Int) throws(StorageError) {
    guard case .text(var text) = self else { return }
    let hasNull = text.withUTF8 { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    }
    guard !hasNull else {
      throw .invalidValue(
        sqlState: nil, message: "expected text without U+0000, but parameter $\(number) contains it")
    }
  }
}

extension StorageError {
  /// From SQLite's extended result code.
  init(code: Int32, message: String) {
    switch code & 0xff {
    case SQLITE_FULL: self = .full
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY:
      self = .unavailable(code: Int(code), message: message)
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(message)
    case SQLITE_CONSTRAINT: self = .constraint(message)
    default: self = .failed(code: Int(code), message: message)
    }
  }

  /// From what GRDB throws.
  package init(_ error: any Error) {
    switch error {
    case let error as StorageError: self = error
    case let error as GRDB.DatabaseError:
      self.init(code: error.extendedResultCode.rawValue, message: error.message ?? "no message")
    default: self = .failed(code: -1, message: error.loggedName)
    }
  }
}
