import Foundation

/// A folder whose files are replaced atomically and are on the disk when a call returns.
struct DurableFolder: Sendable {
  let url: URL
  let files: any FileSystem
  private let path: String

  init(url: URL, files: any FileSystem = SystemFiles()) {
    self.url = url
    self.files = files
    path = url.path
  }

  /// Makes the folder, readable by its owner only, when it is missing.
  func make() throws { try files.makeFolder(path) }

  /// The names of the files in it.
  func names() throws -> [String] { try files.names(in: path) }

  /// Takes the lock that a file in it stands for, until what is returned goes away.
  func lock(_ name: String) throws -> any Sendable { try files.lock(file(name)) }

  /// The content of a file; `nil` when there is no such file.
  func read(_ name: String) throws -> Data? { try files.read(file(name)) }

  /// Replaces files as a whole: each is the old or the new one whenever the power goes, and all are new on return.
  func write(_ contents: [(name: String, content: Data)]) throws {
    for (name, content) in contents { try files.write(content, to: file(name + Self.temporarySuffix)) }
    for (name, _) in contents { try files.rename(file(name + Self.temporarySuffix), to: file(name)) }
    try files.flush(path)
  }

  /// Deletes files; one that is missing is no error.
  func erase(_ names: [String]) throws {
    for name in names { try files.remove(file(name)) }
    try files.flush(path)
  }

  /// Gives a file another name.
  func setAside(_ name: String, as newName: String) throws {
    try files.rename(file(name), to: file(newName))
  }

  /// What a file that was being written when the power went ends in.
  static let temporarySuffix = ".tmp"

  private func file(_ name: String) -> String { "\(path)/\(name)" }
}
