import Synchronization

@testable import OnsideStore
@testable import StoreBase

/// The processes of one store on one database. They die at writes and are started again. One of them takes what buyers
/// and the operator do; a provider's calls go to those that live, by turns.
final class StoreProcesses: Sendable {
  struct Process: Sendable {
    let store: TestStore
    let database: MortalDatabase
  }

  private struct State {
    var all: [Process] = []
    var serving = 0
    var turn = 0
    var starts = 0
  }

  private let start: @Sendable (_ number: Int) async throws -> Process
  private let state = Mutex(State())

  /// - Parameter start: starts one; its number is another one each time.
  init(_ count: Int, start: @escaping @Sendable (_ number: Int) async throws -> Process) async throws {
    self.start = start
    for _ in 0..<count {
      let process = try await startNext()
      state.withLock { $0.all.append(process) }
    }
  }

  var all: [Process] { state.withLock { $0.all } }
  private var living: [Process] { all.filter { !$0.database.isDead } }

  /// The process that takes what comes.
  var serving: Process { state.withLock { $0.all[$0.serving] } }

  /// A living process that does not serve; nil without one.
  var idle: Process? {
    let serving = serving.database
    return living.first { $0.database !== serving }
  }

  /// How often a process was started, the first ones included.
  var startCount: Int { state.withLock { $0.starts } }

  /// The living process whose turn it is; nil when none lives.
  var next: Process? {
    let living = living
    let turn = state.withLock { state in
      state.turn += 1
      return state.turn
    }
    return living.isEmpty ? nil : living[turn % living.count]
  }

  /// Lets a process take what comes from now on, with what the others have changed; one that is dead does not.
  func serve(by number: Int) async throws {
    guard !all[number].database.isDead, state.withLock({ $0.serving }) != number else { return }
    state.withLock { $0.serving = number }
    try await serving.store.core.reload()
  }

  /// Lets another process take the place of a dead one, or starts that again when no other lives. The other one may be
  /// at work, and die of that meanwhile.
  func replace() async throws {
    while serving.database.isDead {
      guard let other = all.firstIndex(where: { !$0.database.isDead }) else { return try await revive() }
      do { try await serve(by: other) } catch  where all[other].database.isDead {}
    }
  }

  /// Starts again what is dead.
  func revive() async throws {
    for (number, process) in all.enumerated() where process.database.isDead {
      await process.database.base.close()
      let next = try await startNext()
      state.withLock { $0.all[number] = next }
    }
  }

  func close() async {
    for process in all { await process.database.base.close() }
  }

  private func startNext() async throws -> Process {
    let number = state.withLock { state in
      state.starts += 1
      return state.starts
    }
    return try await start(number)
  }
}
