import DeterministicRandom
import Foundation
import OnsideKit
import Synchronization

/// The simulated disk of a device, with fault injection: writes fail, and the device dies in the middle of a call.
final class SimulatedDisk: Sendable {
  /// How a device dies.
  enum Death: String, Sendable {
    /// The process ends; what it wrote stays.
    case kill
    /// The power goes; what was not flushed may be lost or torn.
    case powerCut
  }

  /// The error of a call to the disk of a dead process, or to a disk that fails.
  struct Failure: Error {}

  private struct State {
    var content = DiskContent()
    var random: SeededRandom
    /// The process that may use the disk; those before it are dead.
    var process = 0
    var lockHolder: LockToken.ID?
    var lastLock = 0
    /// The number of calls until the device dies, and how.
    var callsUntilDeath: (count: Int, Death)?
    var death: Death?
    var failsWrites = false
    /// Whether writes were made to fail since the process that uses the disk has begun.
    var wasFull = false
    /// Whether writes were ever made to fail.
    var hasBeenFull = false
  }

  private let state: Mutex<State>
  private let brokenRule: BrokenRule?

  init(seed: UInt64, brokenRule: BrokenRule?) {
    state = Mutex(State(random: SeededRandom(seed: seed)))
    self.brokenRule = brokenRule
  }

  /// The disk as the next process of the device sees it.
  func mount() -> Mount {
    state.withLock { state in
      state.process += 1
      state.lockHolder = nil
      state.callsUntilDeath = nil
      state.failsWrites = false
      state.wasFull = false
      return Mount(disk: self, process: state.process)
    }
  }

  /// Ends the process that uses the disk.
  func die(_ death: Death) { state.withLock { Self.die(death, in: &$0) } }

  /// Makes the device die in the middle of a later call.
  func dieLater(_ death: Death, calls: Int) { state.withLock { $0.callsUntilDeath = (calls, death) } }

  /// Whether writes fail for now, as on a full disk.
  func failWrites(_ fails: Bool) {
    state.withLock { state in
      state.failsWrites = fails
      state.wasFull = fails || state.wasFull
      state.hasBeenFull = fails || state.hasBeenFull
    }
  }

  /// Whether writes were made to fail since the process that uses the disk has begun.
  var wasFull: Bool { state.withLock { $0.wasFull } }

  /// Whether writes were ever made to fail: the files of ended payments may have stayed, which does no harm.
  var hasBeenFull: Bool { state.withLock { $0.hasBeenFull } }

  /// Ends all faults.
  func calmDown() {
    state.withLock { state in
      state.callsUntilDeath = nil
      state.failsWrites = false
    }
  }

  /// Whether the device has died since ``takeDeath()`` was last called.
  var hasDied: Bool { state.withLock { $0.death != nil } }

  /// How the device died since the last call; nil when it did not.
  func takeDeath() -> Death? {
    state.withLock { state in
      defer { state.death = nil }
      return state.death
    }
  }

  private static func die(_ death: Death, in state: inout State) {
    state.process += 1
    state.lockHolder = nil
    state.callsUntilDeath = nil
    state.death = death
    if death == .powerCut { state.content.losePower(&state.random) }
  }

  /// A disk as one process sees it.
  struct Mount: FileSystem {
    fileprivate let disk: SimulatedDisk
    fileprivate let process: Int
  }

  /// A lock, held while the token lives.
  final class LockToken: Sendable {
    typealias ID = Int
    private let disk: SimulatedDisk
    private let id: ID

    init(disk: SimulatedDisk, id: ID) {
      self.disk = disk
      self.id = id
    }

    deinit { disk.unlock(id) }
  }

  fileprivate func unlock(_ id: LockToken.ID) {
    state.withLock { if $0.lockHolder == id { $0.lockHolder = nil } }
  }

  fileprivate func lock(_ process: Int) throws -> LockToken {
    let id = try state.withLock { state throws in
      guard state.process == process else { throw Failure() }
      guard state.lockHolder == nil else { throw FileLock.Busy() }
      state.lastLock += 1
      state.lockHolder = state.lastLock
      return state.lastLock
    }
    return LockToken(disk: self, id: id)
  }

  fileprivate func look<Value>(_ process: Int, _ look: (DiskContent) -> Value) throws -> sending Value
  where Value: Sendable {
    try state.withLock { state throws in
      guard state.process == process else { throw Failure() }
      return look(state.content)
    }
  }

  /// Makes a change. A device that dies during it has made the change, not made it or, with `partly`, made a part of
  /// it.
  fileprivate func change(
    _ process: Int, partly: (@Sendable (inout DiskContent, inout SeededRandom) -> Void)? = nil,
    _ change: (inout DiskContent) -> Void
  ) throws {
    try state.withLock { state throws in
      guard state.process == process, !state.failsWrites else { throw Failure() }
      guard let (calls, death) = state.callsUntilDeath else { return change(&state.content) }
      guard calls == 0 else {
        state.callsUntilDeath = (calls - 1, death)
        return change(&state.content)
      }
      if let partly {
        partly(&state.content, &state.random)
      } else if state.random.chance(50) {
        change(&state.content)
      }
      Self.die(death, in: &state)
      throw Failure()
    }
  }

  fileprivate var keepsTombstones: Bool { brokenRule != .tombstoneBeforeRemoved }
  fileprivate var notesRefunds: Bool { brokenRule != .refundIsToldOnce }
  fileprivate var flushes: Bool { brokenRule != .onDiskBeforeTold }
}

extension SimulatedDisk.Mount {
  func makeFolder(_ folder: String) throws { try disk.change(process) { _ in } }

  func names(in folder: String) throws -> [String] { try disk.look(process) { $0.names(in: folder) } }

  func read(_ file: String) throws -> Data? { try disk.look(process) { $0.files[file] } }

  func write(_ content: Data, to file: String) throws {
    try disk.change(
      process,
      partly: { disk, random in
        disk.write(content.prefix(random.pick(0...content.count)), to: file)
      },
      { $0.write(content, to: file) })
  }

  func rename(_ file: String, to newName: String) throws {
    try disk.change(process) { content in
      guard disk.keepsTombstones || !content.isTombstone(file) else { return content.remove(file) }
      guard disk.notesRefunds || !content.isToldRefund(file) else { return content.remove(file) }
      content.rename(file, to: newName)
    }
  }

  func remove(_ file: String) throws { try disk.change(process) { $0.remove(file) } }

  func flush(_ folder: String) throws {
    try disk.change(process) { content in
      if disk.flushes { content.flush(folder) }
    }
  }

  func lock(_ file: String) throws -> any Sendable { try disk.lock(process) }
}

extension DiskContent {
  /// Whether a file of the journal says that its transaction is finished.
  fileprivate func isTombstone(_ file: String) -> Bool { has(#""isFinished":true"#, in: file) }

  /// Whether a file of the journal says that the app was told of a refund.
  fileprivate func isToldRefund(_ file: String) -> Bool {
    has(#""revokedAt":"#, in: file) && !has(#""owesRevocation":true"#, in: file)
  }

  private func has(_ text: String, in file: String) -> Bool { files[file]?.range(of: Data(text.utf8)) != nil }
}
