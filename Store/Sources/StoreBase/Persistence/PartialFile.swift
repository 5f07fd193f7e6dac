import Foundation

/// A text file that is written in parts under a temporary name, and gets its own name when it is whole.
package struct PartialFile {
  private let handle: FileHandle
  private let path: String

  /// Writes a file for the owner alone; an existing one is replaced. Throws ``FileError`` or what the closure throws.
  package static func write<Result>(to path: String, _ body: (PartialFile) throws -> Result) throws -> Result {
    let (part, target) = (StoreFile("\(path).part-\(getpid())"), StoreFile(path))
    try part.remove()
    try part.create()
    do {
      guard let handle = FileHandle(forWritingAtPath: part.path) else {
        throw FileError(path: part.path, reason: "cannot be written")
      }
      let result = try body(PartialFile(handle: handle, path: path))
      try handle.close()
      try part.flush()
      try part.rename(to: target)
      try target.flushFolder()
      return result
    } catch {
      try? part.remove()
      throw error
    }
  }

  package func append(_ text: String) throws(FileError) {
    do { try handle.write(contentsOf: Data(text.utf8)) } catch {
      throw FileError(path: path, reason: error.localizedDescription)
    }
  }
}
