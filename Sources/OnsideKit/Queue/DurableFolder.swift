import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder whose files are replaced atomically and are on the disk when a call returns.
struct DurableFolder: Sendable {
  /// A call to the operating system that went wrong.
  struct Failure: Error, CustomStringConvertible {
    let call: String
    let path: String
    let code: Int32
    var description: String { "\(call) of \(path) failed: \(String(cString: strerror(code))) (errno \(code))" }
  }

  let url: URL

  /// Makes the folder, readable by its owner only, when it is missing.
  func make() throws {
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// The names of the files in it.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path)
  }

  /// The content of a file; `nil` when there is no such file.
  func read(_ name: String) throws -> Data? {
    let file = url.appendingPathComponent(name)
    do {
      return try Data(contentsOf: file)
    } catch CocoaError.fileReadNoSuchFile {
      return nil
    }
  }

  /// Replaces files as a whole: each is the old or the new one whenever the power goes, and all are new on return.
  func write(_ files: [(name: String, content: Data)]) throws {
    for file in files { try writeTemporary(file.content, path(file.name + Self.temporarySuffix)) }
    for file in files {
      let target = path(file.name)
      try check(rename(target + Self.temporarySuffix, target), "rename", target)
    }
    try flush()
  }

  /// Deletes files; one that is missing is no error.
  func erase(_ names: [String]) throws {
    for name in names where unlink(path(name)) != 0 && errno != ENOENT {
      throw Failure(call: "unlink", path: path(name), code: errno)
    }
    try flush()
  }

  /// Gives a file another name.
  func setAside(_ name: String, as newName: String) throws {
    try check(rename(path(name), path(newName)), "rename", path(name))
  }

  /// What a file that was being written when the power went ends in.
  static let temporarySuffix = ".tmp"

  private func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  private func writeTemporary(_ content: Data, _ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try check(descriptor, "open", path)
    defer { close(descriptor) }
    try content.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = systemWrite(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
        if count < 0 && errno == EINTR { continue }
        try check(Int32(clamping: count), "write", path)
        offset += count
      }
    }
    try check(fsync(descriptor), "fsync", path)
  }

  /// Puts the folder itself on the disk: names and their absence.
  private func flush() throws {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    try check(descriptor, "open", url.path)
    defer { close(descriptor) }
    try check(fsync(descriptor), "fsync", url.path)
  }

  private func check(_ result: Int32, _ call: String, _ path: String) throws {
    guard result >= 0 else { throw Failure(call: call, path: path, code: errno) }
  }
}

/// `write(2)`, under a name that does not meet the methods' own.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
