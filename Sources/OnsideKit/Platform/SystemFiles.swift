package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file system of this machine.
package struct SystemFiles: FileSystem {
  package init() {}

  package func makeFolder(_ folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  package func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  package func read(_ file: String) throws -> Data? {
    do {
      return try Data(contentsOf: URL(filePath: file, directoryHint: .notDirectory))
    } catch CocoaError.fileReadNoSuchFile {
      return nil
    }
  }

  package func write(_ content: Data, to file: String) throws {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try check(descriptor, call: "open", path: file)
    defer { close(descriptor) }
    try content.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = systemWrite(descriptor, bytes: bytes.baseAddress?.advanced(by: offset), count: bytes.count - offset)
        if count < 0 && errno == EINTR { continue }
        try check(Int32(clamping: count), call: "write", path: file)
        offset += count
      }
    }
    try check(fsync(descriptor), call: "fsync", path: file)
  }

  package func rename(_ file: String, to newName: String) throws {
    try check(systemRename(file, to: newName), call: "rename", path: newName)
  }

  package func remove(_ file: String) throws {
    guard unlink(file) != 0, errno != ENOENT else { return }
    throw FileSystemFailure(call: "unlink", path: file, code: errno)
  }

  package func flush(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    try check(descriptor, call: "open", path: folder)
    defer { close(descriptor) }
    try check(fsync(descriptor), call: "fsync", path: folder)
  }

  package func lock(_ file: String) throws -> any Sendable {
    try FileLock.takeNow(URL(filePath: file, directoryHint: .notDirectory))
  }

  private func check(_ result: Int32, call: String, path: String) throws {
    guard result >= 0 else { throw FileSystemFailure(call: call, path: path, code: errno) }
  }
}

/// `write(2)`, under a name that does not meet the methods' own.
private func systemWrite(_ descriptor: Int32, bytes: UnsafeRawPointer?, count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// `rename(2)`, likewise.
private func systemRename(_ path: String, to newPath: String) -> Int32 { rename(path, newPath) }
