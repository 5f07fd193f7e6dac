package import Foundation
import OnsideKit

/// The single running process of an app, by its folder. Desktops start a program once more for each address that they
/// open; a later process hands its address to the first one and ends once that has it.
///
/// It needs no session bus: the first process holds a lock on a file, and the others leave addresses in a folder that
/// it watches.
package final class AppInstance: Sendable {
  /// The addresses that later processes were started with.
  package let addresses: AsyncStream<String>
  private let lock: FileLock

  /// The error when the other process holds the lock and takes no addresses.
  package struct Unresponsive: Error, CustomStringConvertible {
    let folder: URL
    package var description: String {
      "expected the process that runs in \(folder.path(percentEncoded: false)) to take this address, and it did not "
        + "answer for 30 s; end it and try again"
    }
  }

  /// Becomes the single process of the folder; nil once another one has taken the address.
  ///
  /// A process that is killed holds its lock for a moment after it has stopped reading. An address that is not taken in
  /// that time means that no other process runs: its writer then becomes the process of the folder.
  /// - Parameter address: what this process was started with; an empty one brings the other's window forward.
  /// - Throws: ``Unresponsive`` when the other one takes nothing for half a minute.
  package static func claim(_ folder: URL, orHand address: String) async throws -> AppInstance? {
    let inbox = folder.appending(path: "inbox", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: inbox, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var letter: Letter?
    for _ in 0..<1_500 {
      do {
        let lock = try FileLock.takeNow(folder.appending(path: "instance.lock"))
        // This process has its address already.
        letter = nil
        return try AppInstance(lock, inbox: inbox)
      } catch is FileLock.Busy {
        if letter?.isTaken == true { return nil }
        if letter == nil { letter = try Letter(address, to: inbox) }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    throw Unresponsive(folder: folder)
  }

  private init(_ lock: FileLock, inbox: URL) throws {
    self.lock = lock
    let (addresses, arrived) = AsyncStream.makeStream(of: String.self)
    self.addresses = addresses
    try FolderWatch.start(inbox) {
      let letters = try? FileManager.default.contentsOfDirectory(at: inbox, includingPropertiesForKeys: nil)
      for letter in letters ?? [] {
        if let text = Letter.take(letter) { arrived.yield(text) }
      }
    }
  }
}

/// An address that a later process hands to the first one, as a file. Its writer holds a lock on the file: one without
/// a lock was left by a process that has ended.
private final class Letter {
  private let file: URL
  private let lock: FileLock

  init(_ address: String, to inbox: URL) throws {
    let name = UUID().uuidString
    let draft = inbox.deletingLastPathComponent().appending(path: ".\(name)")
    file = inbox.appending(path: name)
    lock = try FileLock.takeNow(draft)
    try Data(address.utf8).write(to: draft)
    try FileManager.default.moveItem(at: draft, to: file)
  }

  deinit { try? FileManager.default.removeItem(at: file) }

  var isTaken: Bool { !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) }

  /// The address; nil when its writer has ended.
  static func take(_ file: URL) -> String? {
    let text = try? String(contentsOf: file, encoding: .utf8)
    let isOld = (try? FileLock.takeNow(file)) != nil
    try? FileManager.default.removeItem(at: file)
    return isOld ? nil : text
  }
}

/// Watches a folder: calls `changed` at once and whenever files were moved into it (inotify(7)), for as long as the
/// process runs.
private enum FolderWatch {
  static func start(_ folder: URL, _ changed: @escaping @Sendable () -> Void) throws {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0,
      inotify_add_watch(descriptor, folder.path(percentEncoded: false), UInt32(IN_MOVED_TO)) >= 0
    else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    Thread {
      var events = [UInt8](repeating: 0, count: 4096)
      repeat { changed() } while read(descriptor, &events, events.count) > 0
    }.start()
  }
}
