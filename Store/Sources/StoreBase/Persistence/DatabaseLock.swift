import Foundation

/// A lock on a file beside the database, `<database>-lock`. Every program that has the database open holds it shared; a
/// restore, a change of the schema and the last program to close take it exclusively. The kernel releases it when its
/// holder ends, however that happens. (A lock on the database file itself would be in SQLite's way, and a restore puts
/// another file in its place.)
package final class DatabaseLock: Sendable {
  /// How long a shared lock waits for an exclusive one, in seconds.
  private static let patience: TimeInterval = 5

  private let database: String
  private let descriptor: Int32

  /// Opens the lock's file, which is made if it is not there. Nothing is locked yet.
  package init(database: String) throws(DatabaseOpenError) {
    self.database = database
    let path = database + "-lock"
    descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
  }

  deinit { Glibc.close(descriptor) }

  /// Takes the shared lock, which the programs that have the database open hold together.
  package func share() throws(DatabaseOpenError) {
    guard retrying({ flock(descriptor, LOCK_SH | LOCK_NB) == 0 }) else { throw .inUse(path: database) }
  }

  /// Takes the exclusive lock. Waits a few seconds for commands to end; throws `inUse` when another program, such as a
  /// store that serves, keeps the database open.
  package func takeAlone() throws(DatabaseOpenError) {
    guard retrying({ tryAlone() }) else { throw .inUse(path: database) }
  }

  /// Takes the exclusive lock if the database is open nowhere else now. A failed try also releases a held shared lock.
  func tryAlone() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Releases the lock.
  package func release() { flock(descriptor, LOCK_UN) }

  private func retrying(_ attempt: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(Self.patience)
    while !attempt() {
      guard ContinuousClock.now < end else { return false }
      usleep(20_000)
    }
    return true
  }
}
