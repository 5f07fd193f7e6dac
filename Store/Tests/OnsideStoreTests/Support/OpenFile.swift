import Foundation
import Testing

/// A file that this process has open, whose descriptors a test exchanges: that is how a disk is made to fail.
struct OpenFile {
  private let path: String

  init(_ path: String) throws {
    let resolved = try #require(realpath(path, nil))
    self.path = String(cString: resolved)
    free(resolved)
  }

  /// Writes fail with an I/O error from now on.
  func refuseWrites() throws { try exchange(O_RDONLY) }

  /// Writes succeed again.
  func takeWrites() throws { try exchange(O_RDWR) }

  private func exchange(_ flags: Int32) throws {
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    let mine = descriptors.filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
    try #require(!mine.isEmpty, "\(path) is not open")
    let other = open(path, flags | O_CLOEXEC)
    try #require(other >= 0)
    for descriptor in mine { try #require(dup2(other, descriptor) == descriptor) }
    close(other)
  }
}
