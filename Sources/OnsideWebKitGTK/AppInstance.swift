package import Foundation
import OnsideKit

/// The one running process of an app that has a folder. Desktops start a program once more for each address that they open;
/// a later process hands its address to the first one and ends.
///
/// It needs no session bus: the first process holds a lock on a file, and the others leave addresses in a folder that it
/// watches.
package final class AppInstance: Sendable {
  /// The addresses that later processes were started with.
  package let addresses: AsyncStream<String>
  private let lock: FileLock

  /// Becomes the process of the folder; nil when there is one already.
  package static func claim(_ folder: URL) throws -> AppInstance? {
    let inbox = inbox(in: folder)
    try FileManager.default.createDirectory(
      at: inbox, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do {
      return try AppInstance(try FileLock.takeNow(folder.appending(path: "instance.lock")), inbox)
    } catch is FileLock.Busy {
      return nil
    }
  }

  /// Leaves an address for the process of the folder; an empty one brings its window forward.
  package static func hand(_ address: String, in folder: URL) throws {
    let name = UUID().uuidString
    let letter = folder.appending(path: ".\(name)")
    try Data(address.utf8).write(to: letter)
    try FileManager.default.moveItem(at: letter, to: inbox(in: folder).appending(path: name))
  }

  private init(_ lock: FileLock, _ inbox: URL) throws {
    self.lock = lock
    // What nobody has read is of another time.
    for letter in try FileManager.default.contentsOfDirectory(at: inbox, includingPropertiesForKeys: nil) {
      try FileManager.default.removeItem(at: letter)
    }
    let (addresses, arrived) = AsyncStream.makeStream(of: String.self)
    self.addresses = addresses
    try FolderWatch.start(inbox) {
      let letters = try? FileManager.default.contentsOfDirectory(at: inbox, includingPropertiesForKeys: nil)
      for letter in letters ?? [] {
        guard let text = try? String(contentsOf: letter, encoding: .utf8) else { continue }
        try? FileManager.default.removeItem(at: letter)
        arrived.yield(text)
      }
    }
  }

  private static func inbox(in folder: URL) -> URL { folder.appending(path: "inbox", directoryHint: .isDirectory) }
}

/// Tells when files were moved into a folder (inotify(7)), for as long as the process runs.
private enum FolderWatch {
  static func start(_ folder: URL, _ changed: @escaping @Sendable () -> Void) throws {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0,
      inotify_add_watch(descriptor, folder.path(percentEncoded: false), UInt32(IN_MOVED_TO)) >= 0
    else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    Thread {
      var events = [UInt8](repeating: 0, count: 4096)
      while read(descriptor, &events, events.count) > 0 { changed() }
    }.start()
  }
}
