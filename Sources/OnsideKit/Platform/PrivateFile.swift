package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files that only their owner may read, replaced whole: after a crash there is the old content or the new one.
package enum PrivateFile {
  /// A call to the operating system that went wrong.
  package struct Failure: Error, CustomStringConvertible {
    let call: String
    let path: String
    let code: Int32
    package var description: String {
      "\(call) of \(path) failed: \(String(cString: strerror(code))) (errno \(code)); check that the folder is writable"
    }

    init(_ call: String, _ url: URL, code: Int32 = errno) {
      self.call = call
      self.path = url.path(percentEncoded: false)
      self.code = code
    }
  }

  /// Makes a folder and those above it, for its owner only.
  package static func makeFolder(_ folder: URL) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Replaces the file durably: written and flushed beside it, renamed over it, and the rename flushed.
  package static func replace(_ url: URL, with content: Data) throws(Failure) {
    let draft = url.appendingPathExtension("new")
    try write(content, to: draft)
    try rename(draft, to: url)
    try flushFolder(of: url)
  }

  /// Renames within a folder, over whatever has the new name.
  package static func rename(_ url: URL, to other: URL) throws(Failure) {
    #if canImport(Glibc)
      let result = Glibc.rename(url.path(percentEncoded: false), other.path(percentEncoded: false))
    #elseif canImport(Musl)
      let result = Musl.rename(url.path(percentEncoded: false), other.path(percentEncoded: false))
    #else
      let result = Darwin.rename(url.path(percentEncoded: false), other.path(percentEncoded: false))
    #endif
    guard result == 0 else { throw Failure("rename", url) }
  }

  private static func write(_ content: Data, to url: URL) throws(Failure) {
    let file = open(url.path(percentEncoded: false), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure("open", url) }
    defer { close(file) }
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { posixWrite(file, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EINTR else { throw Failure("write", url) }
      rest = rest.dropFirst(max(count, 0))
    }
    guard fsync(file) == 0 else { throw Failure("fsync", url) }
  }

  private static func flushFolder(of url: URL) throws(Failure) {
    let folder = url.deletingLastPathComponent()
    let descriptor = open(folder.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("open", folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure("fsync", folder) }
  }
}

#if canImport(Glibc)
  private let posixWrite = Glibc.write
#elseif canImport(Musl)
  private let posixWrite = Musl.write
#else
  private let posixWrite = Darwin.write
#endif
