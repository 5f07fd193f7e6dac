import Foundation
import OnsideKit
import Synchronization

/// The disk of a device, in memory. It outlives launches of the app; what a launch leaves undone is never done.
final class MemoryDisk: Sendable {
  private struct State {
    /// What a running app sees.
    var files: [String: Data] = [:]
    /// What is there after a power cut.
    var durable: [String: Data] = [:]
    var launch = 0
    var lock: Int?
  }
  private let state = Mutex(State())

  /// A view of the disk for a launch of the app; earlier ones can neither read nor write any more.
  func launch(_ number: Int) -> some FileSystem {
    state.withLock {
      $0.launch = number
      $0.lock = nil
    }
    return View(disk: self, launch: number)
  }

  /// Ends the launch. After a power cut, what was not flushed is gone.
  func end(powerCut: Bool) {
    state.withLock {
      $0.launch = 0
      if powerCut { $0.files = $0.durable }
    }
  }

  private func use<Value: Sendable>(
    _ launch: Int, _ call: String, _ url: URL, _ body: (inout State, String) throws -> Value
  ) throws -> Value {
    let path = url.path(percentEncoded: false)
    return try state.withLock { state in
      guard state.launch == launch else { throw FileSystemFailure(call: call, path: path, code: EIO) }
      return try body(&state, path)
    }
  }

  private final class Lock: Sendable {
    let disk: MemoryDisk
    let launch: Int

    init(_ disk: MemoryDisk, _ launch: Int) {
      self.disk = disk
      self.launch = launch
    }

    deinit {
      disk.state.withLock { [launch] in if $0.lock == launch { $0.lock = nil } }
    }
  }

  private struct View: FileSystem {
    let disk: MemoryDisk
    let launch: Int

    func makeFolder(_ folder: URL) throws { try disk.use(launch, "mkdir", folder) { _, _ in } }

    func names(in folder: URL) throws -> [String] {
      try disk.use(launch, "readdir", folder) { state, path in
        state.files.keys.filter { Self.folder(of: $0) == Self.trimmed(path) }.map { ($0 as NSString).lastPathComponent }
      }
    }

    func read(_ file: URL) throws -> Data? { try disk.use(launch, "read", file) { $0.files[$1] } }

    func write(_ content: Data, to file: URL) throws {
      try disk.use(launch, "write", file) { state, path in
        state.files[path] = content
        if state.durable[path] != nil { state.durable[path] = content }
      }
    }

    func rename(_ file: URL, to newName: URL) throws {
      try disk.use(launch, "rename", file) { state, path in
        guard let content = state.files.removeValue(forKey: path) else {
          throw FileSystemFailure(call: "rename", path: path, code: ENOENT)
        }
        state.files[newName.path(percentEncoded: false)] = content
      }
    }

    func remove(_ file: URL) throws { try disk.use(launch, "unlink", file) { $0.files[$1] = nil } }

    func flush(_ folder: URL) throws {
      try disk.use(launch, "fsync", folder) { state, path in
        let isInside: (String) -> Bool = { Self.folder(of: $0) == Self.trimmed(path) }
        state.durable = state.durable.filter { !isInside($0.key) }
        state.durable.merge(state.files.filter { isInside($0.key) }) { $1 }
      }
    }

    func lock(_ file: URL) throws -> any Sendable {
      try disk.use(launch, "flock", file) { state, _ in
        if state.lock == launch { throw FileLock.Busy() }
        state.lock = launch
        return Lock(disk, launch)
      }
    }

    private static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }
    private static func trimmed(_ path: String) -> String { path.hasSuffix("/") ? String(path.dropLast()) : path }
  }
}
