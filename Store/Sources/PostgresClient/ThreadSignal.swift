import Glibc

/// Wakes a thread that waits for sockets: a pipe, of which the thread waits for the reading end.
final class ThreadSignal: Sendable {
  /// What the thread waits for.
  let descriptor: Int32
  private let writingEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      preconditionFailure("No file descriptor is left: \(String(cString: strerror(errno)))")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writingEnd) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writingEnd)
  }

  /// Makes the descriptor readable. A full pipe is readable already.
  func raise() {
    var byte: UInt8 = 0
    _ = write(writingEnd, &byte, 1)
  }

  /// Whether it was raised since the last call.
  func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64)
    var wasRaised = false
    while read(descriptor, &bytes, bytes.count) > 0 { wasRaised = true }
    return wasRaised
  }
}
