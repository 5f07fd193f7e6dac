import Foundation
import Glibc

/// The folder of a server beside the tests. Whoever has ``lock`` open uses it: this process, and the programs that it
/// starts with the descriptor. The kernel takes the lock back when the last of them ends, also by SIGKILL, so that the
/// next folder that is made knows those which were left behind, and deletes them.
final class ServerFolder: Sendable {
  /// Where it is.
  let path: String
  /// The folder itself, open and locked (flock(2)).
  let lock: Int32

  /// The parent on a disk: /tmp, since the path of a socket has at most 107 bytes.
  static let disk = "/tmp"

  /// The parent in memory, if it has 4 GiB; else ``disk``. A database has 450 files, which ext4 takes seven times as
  /// long to make.
  static var memory: String {
    var space = statvfs()
    guard statvfs("/dev/shm", &space) == 0, UInt64(space.f_bavail) * UInt64(space.f_frsize) >= 4 << 30 else {
      return disk
    }
    return "/dev/shm"
  }

  /// Makes a folder, and deletes those beside it that nobody uses.
  init(in parent: String = disk) throws {
    Self.deleteAbandoned(in: parent)
    while true {
      let path = "\(parent)/\(Self.prefix)\(UUID().uuidString.prefix(8))"
      guard mkdir(path, 0o711) == 0 else { throw Self.error() }
      let descriptor = Self.open(path)
      guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw Self.error() }
      // Another process may have found it before it was locked.
      if FileManager.default.fileExists(atPath: path) {
        (self.path, lock) = (path, descriptor)
        return
      }
      close(descriptor)
    }
  }

  deinit { close(lock) }

  private static let prefix = "onside-server-"

  private static func deleteAbandoned(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for path in names.filter({ $0.hasPrefix(prefix) }).map({ "\(parent)/\($0)" }) {
      let descriptor = open(path)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: path) }
      close(descriptor)
    }
  }

  private static func open(_ path: String) -> Int32 {
    Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }

  private static func error() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
