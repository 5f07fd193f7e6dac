import Foundation
import StoreBase

/// What a copy of the database is.
public struct DatabaseCopy: Sendable, Equatable {
  /// The newest migration in it.
  public let schema: Int
  /// In bytes.
  public let size: Int64
}

extension DatabaseCopy {
  /// Lets a closure write a copy beside its name, and gives it the name when it is whole and flushed.
  ///
  /// - Parameter fill: writes the file and returns the schema in it.
  static func write(
    to path: String, overwrites: Bool, _ fill: (StoreFile) throws -> Int
  ) throws -> DatabaseCopy {
    let target = StoreFile(path)
    guard overwrites || !target.exists else { throw DatabaseCopyError.exists(path) }
    let part = StoreFile("\(path).part-\(getpid())")
    guard try part.create() else { throw DatabaseCopyError.exists(part.path) }
    do {
      let schema = try fill(part)
      try part.flush()
      let copy = DatabaseCopy(schema: schema, size: part.size)
      guard overwrites || !target.exists else { throw DatabaseCopyError.exists(path) }
      try part.rename(to: target)
      try target.flushFolder()
      return copy
    } catch {
      for file in part.databaseFiles { try? file.remove() }
      throw error
    }
  }
}
