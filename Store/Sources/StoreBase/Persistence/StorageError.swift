/// Why a statement or a transaction failed.
public enum StorageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The disk is full: nothing of the transaction was kept; it can be tried again when there is room.
  case full
  /// The disk does not answer, or refuses: nothing of the transaction is known to be kept; it can be tried again.
  case unavailable(code: Int, message: String)
  /// The vault's guard file can be neither read nor written; the text has its path and the reason. The database may
  /// have kept the write.
  case guardFile(String)
  /// Another process held the database for longer than the time limit.
  case busy
  /// The store is stopping.
  case closed
  /// A rule of a table was broken; the text names the rule.
  case constraint(String)
  /// The file is damaged.
  case damaged(String)
  /// A text with U+0000, which PostgreSQL cannot keep. SQLSTATE is nil when the store found it.
  case invalidValue(sqlState: String?, message: String)
  /// A column holds something else than the code expects.
  case unexpectedValue(column: String, expected: String)
  /// The database server cannot be reached, or does not answer; nothing was kept. It can be tried again.
  case unreachable(String)
  /// The answer to a commit did not come: the write may be kept or not. Its own key tells, when it is repeated.
  case outcomeUnknown(String)
  /// Anything else, with the database's own code and words.
  case failed(code: Int, message: String)
  /// Anything else, with PostgreSQL's own code (SQLSTATE) and words.
  case refused(sqlState: String?, message: String)

  /// The message for the operator: the problem and its remedy.
  public var description: String {
    switch self {
    case .full: "the disk is full; nothing was changed. Make room on the disk of the database, and try again"
    case .unavailable(let code, let message): "the disk does not answer (SQLite \(code): \(message))"
    case .guardFile(let reason): "the vault's guard file fails (\(reason)); mend its rights or its disk"
    case .busy: "another program has held the database for too long; try again"
    case .closed: "the database was closed: the store is stopping"
    case .constraint(let rule): "the rule \(rule) of a table was broken"
    case .damaged(let finding): "the database is damaged (\(finding)). Restore a backup"
    case .invalidValue(_, let message): "the database cannot keep a value (\(message)); change the value"
    case .unexpectedValue(let column, let expected): "the column \(column) holds another value than \(expected)"
    case .failed(let code, let message): "SQLite \(code): \(message)"
    case .unreachable(let reason): "the database server does not serve: \(reason)"
    case .outcomeUnknown(let reason): "it is not known whether the database has committed the write: \(reason)"
    case .refused(let sqlState, let message): "PostgreSQL \(sqlState ?? "client"): \(message)"
    }
  }
}

/// Why a database cannot be opened. Nothing was changed.
public enum DatabaseOpenError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Another program holds the file.
  case locked(path: String)
  /// The file fails the integrity check.
  case damaged(path: String, finding: String)
  /// The file is a database of something else.
  case notAStore(path: String)
  /// Migrations are missing, and the caller has opened the file without permission to apply them.
  case olderVersion(path: String, found: Int, known: Int)
  /// Another program of this store has the file open, and it is needed alone.
  case inUse(path: String)
  /// A later version of the store has written it.
  case newerVersion(path: String, found: Int, known: Int)
  /// A migration that was applied has another text now.
  case alteredMigration(number: Int, name: String)
  /// Its data was moved to PostgreSQL, or a move was cut short in its last step.
  case moved(path: String, to: String, isComplete: Bool)
  /// It has no tables, and the caller makes none.
  case empty(path: String)
  /// A move to it was begun and has not ended.
  case moveBegun(path: String)
  /// The file or its folder cannot be made or read.
  case unreadable(path: String, reason: String)

  /// Whether all that is wrong is that migrations are missing.
  public var isOlderVersion: Bool {
    if case .olderVersion = self { true } else { false }
  }

  /// The message for the operator: the problem and its remedy.
  public var description: String {
    switch self {
    case .locked(let path):
      "The database \(path) is locked by another program. Stop that program, or wait until it is done."
    case .damaged(let path, let finding):
      "The database \(path) is damaged (\(finding)). Nothing was changed. Restore a backup."
    case .notAStore(let path):
      "\(path) is a database, but not one of this store. Give another path."
    case .newerVersion(let path, let found, let known):
      """
      The database \(path) has schema \(found), and this program knows schemas up to \(known). Nothing was changed. \
      Use the program that wrote it, or a newer one.
      """
    case .olderVersion(let path, let found, let known):
      """
      The database \(path) has schema \(found), which is older than this program's, \(known). Nothing was changed. \
      Run `onside migrate`, or start the store, which does the same.
      """
    case .inUse(let path):
      """
      The database \(path) is in use by another program: a store that serves, or another `onside` command. \
      Stop it, or wait until it is done.
      """
    case .alteredMigration(let number, let name):
      "Migration \(number) (\(name)) was applied with another text than this program has. Use the program it came from."
    case .moved(let path, let target, true):
      """
      The store of \(path) was moved to \(target): nothing may be sold from this file any more. Set \
      database = "\(target)", with the password in it.
      """
    case .moved(let path, let target, false):
      """
      A move of the store in \(path) to \(target) was cut short in its last step. Run `onside move` with the same \
      address again: it ends the move. Until then neither of the two may serve.
      """
    case .empty(let path):
      """
      expected a store's database at \(path), but it has no tables. Nothing was changed. See that the address is \
      right; `onside serve` makes the tables of a new store, `onside restore` and `onside move` bring those of another.
      """
    case .moveBegun(let path):
      """
      A move of a store to \(path) was begun and has not ended. Nothing was changed. Run the same `onside move` again: \
      it ends the move. Until then no store serves from it.
      """
    case .unreadable(let path, let reason):
      "The database \(path) cannot be opened: \(reason)\(reason.hasSuffix(".") ? "" : ".")"
    }
  }
}
