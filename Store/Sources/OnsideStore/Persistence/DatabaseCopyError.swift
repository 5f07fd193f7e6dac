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

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .exists(let path): "expected no file at \(path), but there is one. Give another name, or --overwrite."
    case .sameFile(let path): "expected the copy and the database to be two files, but both are \(path)."
    case .missing(let path): "expected a backup at \(path), but there is no such file."
    case .empty(let path): "expected a backup at \(path), but that database is empty."
    }
  }
}
