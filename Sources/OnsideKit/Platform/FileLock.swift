package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock between processes: `flock` on a file of its own, released at the latest when the process ends.
package final class FileLock: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { Self.letGo(descriptor) }

  /// The error when another holder, such as a stopped process, has not released the lock.
  package struct Busy: Error {
    package init() {}
  }

  private static let patience = 60.0

  /// Takes the lock, trying again every 20 ms while another holder has it; throws ``Busy`` after a minute.
  package static func take(
    _ url: URL, now: @Sendable () -> Date, sleep: @Sendable (Double) async throws -> Void
  ) async throws -> FileLock {
    let lock = FileLock(try openLock(url))
    let end = now().addingTimeInterval(patience)
    while try !lock.isTaken(at: url) {
      guard now() < end else { throw Busy() }
      try await sleep(0.02)
    }
    return lock
  }

  /// Takes the lock if it is free; throws ``Busy`` otherwise.
  package static func takeNow(_ url: URL) throws -> FileLock {
    let lock = FileLock(try openLock(url))
    guard try lock.isTaken(at: url) else { throw Busy() }
    return lock
  }

  private func isTaken(at url: URL) throws -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK || errno == EINTR else { throw Self.failure("flock", at: url) }
    return false
  }

  /// Runs `body` under the lock, blocking the thread: only for moments of a few system calls.
  package static func locked<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
    let descriptor = try openLock(url)
    defer { letGo(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw failure("flock", at: url) }
    }
    return try body()
  }

  private static func openLock(_ url: URL) throws -> Int32 {
    let descriptor = open(url.path(percentEncoded: false), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open", at: url) }
    return descriptor
  }

  /// Unlocks before closing: a program that is being started at this moment has a copy of the descriptor, which keeps
  /// the lock.
  private static func letGo(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func failure(_ call: String, at url: URL) -> FileSystemFailure {
    FileSystemFailure(call: call, path: url.path(percentEncoded: false), code: errno)
  }
}
