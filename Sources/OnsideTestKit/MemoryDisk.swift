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
    /// The files that the present launch has locked.
    var locks: Set<String> = []
  }
  private let state = Mutex(State())

  /// A view of the disk for a launch of the app; earlier ones can neither read nor write any more.
  func launch(_ number: Int) -> some FileSystem {
    state.withLock {
      $0.launch = number
      $0.locks = []
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
    _ launch: Int, call: String, path: String, body: (inout State) throws -> Value
  ) throws -> Value {
    try state.withLock { state in
      guard state.launch == launch else { throw FileSystemFailure(call: call, path: path, code: EIO) }
      return try body(&state)
    }
  }

  private final class Lock: Sendable {
    let disk: MemoryDisk
    let launch: Int
    let file: String

    init(_ file: String, on disk: MemoryDisk, launch: Int) {
      (self.file, self.disk, self.launch) = (file, disk, launch)
    }

    deinit {
      disk.state.withLock { [launch, file] in if $0.launch == launch { $0.locks.remove(file) } }
    }
  }

  private struct View: FileSystem {
    let disk: MemoryDisk
    let launch: Int

    func makeFolder(_ folder: String) throws { try disk.use(launch, call: "mkdir", path: folder) { _ in } }

    func names(in folder: String) throws -> [String] {
      try disk.use(launch, call: "readdir", path: folder) { state in
        state.files.keys.filter { Self.folder(of: $0) == folder }.map { ($0 as NSString).lastPathComponent }
      }
    }

    func read(_ file: String) throws -> Data? { try disk.use(launch, call: "read", path: file) { $0.files[file] } }

    func write(_ content: Data, to file: String) throws {
      try disk.use(launch, call: "write", path: file) { state in
        state.files[file] = content
        if state.durable[file] != nil { state.durable[file] = content }
      }
    }

    func rename(_ file: String, to newName: String) throws {
      try disk.use(launch, call: "rename", path: file) { state in
        guard let content = state.files.removeValue(forKey: file) else {
          throw FileSystemFailure(call: "rename", path: file, code: ENOENT)
        }
        state.files[newName] = content
      }
    }

    func remove(_ file: String) throws { try disk.use(launch, call: "unlink", path: file) { $0.files[file] = nil } }

    func flush(_ folder: String) throws {
      try disk.use(launch, call: "fsync", path: folder) { state in
        let isInside: (String) -> Bool = { Self.folder(of: $0) == folder }
        state.durable = state.durable.filter { !isInside($0.key) }
        state.durable.merge(state.files.filter { isInside($0.key) }) { $1 }
      }
    }

    func lock(_ file: String) throws -> any Sendable {
      try disk.use(launch, call: "flock", path: file) { state in
        guard state.locks.insert(file).inserted else { throw FileLock.Busy() }
        return Lock(file, on: disk, launch: launch)
      }
    }

    private static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }
  }
}
