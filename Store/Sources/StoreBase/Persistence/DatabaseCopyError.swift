/// Why a database was not copied or put back. Nothing was changed.
public enum DatabaseCopyError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is a file of the copy's name.
  case exists(String)
  /// The copy and the database are one file.
  case sameFile(String)
  /// There is no file to put back.
  case missing(String)
  /// The file to put back has no tables.
  case empty(String)
  /// The database that a backup is to be put into has tables.
  case notEmpty(String)
  /// The file is no copy of a store's PostgreSQL database.
  case notADump(String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .exists(let path): "expected no file at \(path), but there is one. Give another name, or --overwrite."
    case .sameFile(let path): "expected the copy and the database to be two files, but both are \(path)."
    case .missing(let path): "expected a backup at \(path), but there is no such file."
    case .empty(let path): "expected a backup at \(path), but that database is empty."
    case .notEmpty(let address):
      """
      expected \(address) to be an empty database, but it has tables. Nothing was changed. Make a new one (createdb), \
      restore into that one, and set database to its address.
      """
    case .notADump(let path):
      "expected \(path) to be a copy of a store's PostgreSQL database, as `onside backup` writes it. Nothing was changed."
    }
  }
}
