package import Foundation

/// The calls to a file system that a ``DurableFolder`` is made of, so that a simulated disk can stand in. Files and
/// folders are named by absolute paths.
///
/// What a folder holds (new names, other names, their absence) survives a power cut only after `flush`.
package protocol FileSystem: Sendable {
  /// Makes a folder, readable by its owner only, when it is missing.
  func makeFolder(_ folder: String) throws
  /// The names of the files in a folder.
  func names(in folder: String) throws -> [String]
  /// The content of a file; `nil` when there is no such file.
  func read(_ file: String) throws -> Data?
  /// Makes or empties a file and writes its content, which is on the disk on return.
  func write(_ content: Data, to file: String) throws
  /// Gives a file another name, in place of whatever had it.
  func rename(_ file: String, to newName: String) throws
  /// Deletes a file; one that is missing is no error.
  func remove(_ file: String) throws
  /// Puts a folder itself on the disk: names and their absence.
  func flush(_ folder: String) throws
  /// Takes the lock that a file stands for, until what is returned goes away; throws ``FileLock/Busy``.
  func lock(_ file: String) throws -> any Sendable
}

/// A call to the operating system that went wrong.
package struct FileSystemFailure: Error, CustomStringConvertible {
  let call: String
  let path: String
  let code: Int32

  /// A failure with its `errno`.
  package init(call: String, path: String, code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }

  /// The call, the path and the system's words.
  package var description: String {
    "\(call) of \(path) failed: \(String(cString: strerror(code))) (errno \(code))"
  }
}
