import Foundation

/// A file that could not be made, moved, flushed or removed.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Which one.
  public var path: String
  /// What the system says.
  public var reason: String

  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// The file and what the system says.
  public var description: String { "\(path): \(reason)" }
}

/// A file beside or of the database: made for the owner alone, and flushed together with its folder.
package struct StoreFile {
  package let path: String

  package init(_ path: String) { self.path = path }

  package var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// In bytes; 0 when there is no such file.
  package var size: Int64 { (attributes?[.size] as? NSNumber)?.int64Value ?? 0 }

  /// Whether both names lead to one file.
  package func isSame(as other: StoreFile) -> Bool {
    guard let mine = attributes, let theirs = other.attributes else { return false }
    return [FileAttributeKey.systemNumber, .systemFileNumber].allSatisfy {
      mine[$0] as? NSNumber == theirs[$0] as? NSNumber
    }
  }

  private var attributes: [FileAttributeKey: Any]? {
    let path = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    return try? FileManager.default.attributesOfItem(atPath: path)
  }

  /// Makes an empty file; one that is there already stays as it is, and false is returned.
  @discardableResult
  package func create() throws(FileError) -> Bool {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0, errno == EEXIST { return false }
    guard descriptor >= 0 else { throw failure }
    Glibc.close(descriptor)
    return true
  }

  /// Flushes the content.
  package func flush() throws(FileError) { try flush(path, flags: O_RDONLY | O_CLOEXEC) }

  /// Flushes the folder: a name is on disk only when its folder is.
  package func flushFolder() throws(FileError) {
    let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    try flush(folder, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }

  /// Takes the place of another file, in one step.
  package func rename(to other: StoreFile) throws(FileError) {
    guard Glibc.rename(path, other.path) == 0 else { throw failure }
  }

  /// Removes the file, if it is there.
  package func remove() throws(FileError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure }
  }

  private func flush(_ path: String, flags: Int32) throws(FileError) {
    let descriptor = Glibc.open(path, flags)
    guard descriptor >= 0 else { throw failure }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure }
  }

  private var failure: FileError {
    let code = errno
    let reason = String(cString: strerror(code))
    guard code == EACCES, let user = getpwuid(geteuid()) else { return FileError(path: path, reason: reason) }
    return FileError(path: path, reason: "\(reason) for the user \(String(cString: user.pointee.pw_name))")
  }
}
