import Foundation
import Logging
import Synchronization

/// Keeps the local store's book in one file; the newest version wins.
final class LocalDisk: Sendable {
  private struct State {
    var lock: FileLock?
    var written = 0
  }

  private let folder: DurableFolder
  private let logger: Logger
  private let state = Mutex(State())

  private static let file = "local-store.json"
  private static let lockFile = "local-store.lock"

  init(folder: URL, logger: Logger) {
    self.folder = DurableFolder(url: folder)
    self.logger = logger
  }

  /// What was kept; nil when there is nothing, or nothing that can be read. While another process has the folder,
  /// nothing is kept.
  func open() -> LocalBook? {
    do {
      try folder.make()
      let lock = try FileLock.takeNow(folder.url.appending(path: Self.lockFile))
      state.withLock { $0.lock = lock }
    } catch {
      logger.warning(
        """
        Purchases of this local store are not kept, since its folder \(folder.url.path()) cannot be locked: \(error). \
        Another process may use it; give each process a storage folder of its own.
        """)
    }
    do {
      guard let data = try folder.read(Self.file) else { return nil }
      let book = try JSONDecoder().decode(LocalBook.self, from: data)
      guard book.version == 1 else { throw CocoaError(.coderReadCorrupt) }
      return book
    } catch {
      logger.warning("The local store starts empty, because its purchases cannot be read: \(error)")
      return nil
    }
  }

  /// Keeps a version of the book, unless a newer one is there.
  func write(_ book: LocalBook, version: Int) {
    state.withLock { state in
      guard state.lock != nil, version > state.written else { return }
      do {
        try folder.write([(name: Self.file, content: JSONEncoder().encode(book))])
        state.written = version
      } catch {
        logger.error("The local store cannot keep its purchases: \(error)")
      }
    }
  }

  /// Removes everything from a folder but its lock; throws ``FileLock/Busy`` while another process has that.
  static func erase(_ folder: URL) throws {
    let path = folder.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return }
    let lock = try FileLock.takeNow(folder.appending(path: lockFile))
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != lockFile {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
    withExtendedLifetime(lock) {}
  }

  /// Whether this process has the folder, so that purchases are kept.
  var isKept: Bool { state.withLock { $0.lock != nil } }

  /// Lets another process use the folder.
  func close() { state.withLock { $0.lock = nil } }
}
