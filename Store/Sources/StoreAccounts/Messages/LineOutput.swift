public import Foundation
import Glibc

/// Writes text to an open file at once, without a buffer between. A write that fails is an error for the caller:
/// `FileHandle.write` ends the process instead.
public struct LineOutput: Sendable {
  /// What the program was given as standard output.
  public static let standardOutput = LineOutput(descriptor: STDOUT_FILENO)
  /// What the program was given as standard error.
  public static let standardError = LineOutput(descriptor: STDERR_FILENO)

  private let descriptor: Int32

  /// An output on an open file descriptor, which stays the caller's to close.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes the whole text. A closed pipe is an error only in a process that ignores `SIGPIPE`; in others that signal
  /// ends it.
  public func write(_ text: String) throws(POSIXError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    }
  }
}
