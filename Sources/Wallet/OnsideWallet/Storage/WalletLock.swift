#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that one process, and one thread in it, holds at a time; the kernel lets go when the holder dies.
struct WalletLock: Sendable {
  let path: String
  /// How long to wait, in milliseconds.
  var patience = 120_000

  func hold<Result>(_ body: () throws -> Result) throws -> Result {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open") }
    defer {
      // Not by closing alone: a program that is being started at this moment has the descriptor, too, and so the lock.
      _ = flock(descriptor, LOCK_UN)
      close(descriptor)
    }
    try take(descriptor)
    return try body()
  }

  private func take(_ descriptor: Int32) throws {
    for _ in 0...patience / 5 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("flock") }
      usleep(5000)
    }
    throw WalletError(.busy, explanation: "expected the wallet to be free, but another process holds \(path): end it")
  }

  private func failure(_ call: String) -> WalletError {
    .storage("expected \(call) of \(path) to work: \(String(cString: strerror(errno)))")
  }
}
