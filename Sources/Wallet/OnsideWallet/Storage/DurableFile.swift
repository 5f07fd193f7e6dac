import Sodium

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A small file that is replaced whole or not at all, and never read through a link.
struct DurableFile: Sendable {
  let folder: String
  let name: String
  /// What is longer is not read.
  let greatestLength: Int

  var path: String { "\(folder)/\(name)" }
  private var temporary: String { "\(path).new" }

  /// Whether there is anything of that name.
  func exists() throws -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure("lstat", at: path) }
    return false
  }

  /// The content; nil when there is none. Throws ``WalletError/Kind/damaged`` for anything but a file of the right
  /// size.
  func read() throws -> SecretBytes? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: return nil
      case ELOOP: throw WalletError.damaged("a symbolic link")
      case ENXIO: throw WalletError.damaged("no file")
      default: throw failure("open", at: path)
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("fstat", at: path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw WalletError.damaged("no file") }
    guard status.st_size <= greatestLength else { throw WalletError.damaged("a file of \(status.st_size) bytes") }
    return try readAll(descriptor)
  }

  /// Temporary file, all bytes, flush, rename, flush of the folder.
  func write(_ content: UnsafeRawBufferPointer) throws {
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open", at: temporary) }
    do {
      defer { close(descriptor) }
      try writeAll(content, to: descriptor)
      guard fsync(descriptor) == 0 else { throw failure("fsync", at: temporary) }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, path) == 0 else {
      let failure = failure("rename", at: path)
      unlink(temporary)
      throw failure
    }
    try flushFolder()
  }

  /// Removes it, and what a killed write left beside it, durably; fine when nothing is there.
  func remove() throws {
    let isRemoved = [try unlinked(temporary), try unlinked(path)]
    if isRemoved.contains(true) { try flushFolder() }
  }

  private func unlinked(_ path: String) throws -> Bool {
    if unlink(path) == 0 { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure("unlink", at: path) }
    return false
  }

  private func readAll(_ descriptor: Int32) throws -> SecretBytes {
    var count = 0
    let content = try SecretBytes(count: greatestLength + 1) { target in
      while count < target.count {
        let more = systemRead(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: target[count...]))
        if more < 0 && errno == EINTR { continue }
        guard more >= 0 else { throw failure("read", at: path) }
        if more == 0 { break }
        count += more
      }
    }
    guard count <= greatestLength else { throw WalletError.damaged("a file that grows") }
    return content.slice(0..<count)
  }

  /// A full disk may take a part of what is written, and say nothing (tmpfs does).
  private func writeAll(_ content: UnsafeRawBufferPointer, to descriptor: Int32) throws {
    var rest = content[...]
    while !rest.isEmpty {
      let count = systemWrite(descriptor, bytes: UnsafeRawBufferPointer(rebasing: rest))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure("write", at: temporary) }
      rest = rest.dropFirst(count)
    }
  }

  private func flushFolder() throws { try Self.flush(folder) }

  /// Makes what was made, renamed or removed in a folder durable.
  static func flush(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", at: folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("fsync", at: folder) }
  }

  private func failure(_ call: String, at path: String) -> WalletError { Self.failure(call, at: path) }

  private static func failure(_ call: String, at path: String) -> WalletError {
    .storage("expected \(call) of \(path) to work: \(String(cString: strerror(errno)))")
  }
}

/// `write(2)`, under a name that does not meet the method's own.
private func systemWrite(_ descriptor: Int32, bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

/// `read(2)`, likewise.
private func systemRead(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, target.baseAddress, target.count)
}
