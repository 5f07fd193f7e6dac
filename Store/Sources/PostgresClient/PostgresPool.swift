import Dispatch
import Foundation
import Synchronization

/// Connections to one database, each on a thread of its own, opened when they are first needed. Work that finds each of
/// them busy waits for its turn, up to a limit. A pool that is not needed any more has to be closed.
///
/// ```swift
/// let rows = try await pool.run { connection in
///   try connection.query("SELECT name FROM apps WHERE id = $1", [.text(id)]).rows
/// }
/// ```
public final class PostgresPool: Sendable {
  /// The limits of a pool.
  public struct Limits: Sendable {
    /// The most connections.
    public var connections: Int
    /// The most pieces of work that wait for one.
    public var waiting: Int
    /// How long they wait.
    public var patience: Duration

    /// Limits that suit a store.
    public init(connections: Int = 8, waiting: Int = 1000, patience: Duration = .seconds(5)) {
      self.connections = connections
      self.waiting = waiting
      self.patience = patience
    }
  }

  private struct State {
    var threads = 0
    var idle: [PoolWorker] = []
    var waiting: [PoolWork] = []
    var lastNumber: UInt64 = 0
    /// Connections of an earlier generation are closed instead of used.
    var generation: UInt64 = 0
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []

    mutating func takeIdle() -> [PoolWorker] {
      defer { idle = [] }
      return idle
    }
  }

  private let address: PostgresAddress
  private let settings: PostgresSettings
  private let limits: Limits
  private let timeline: PostgresTimeline?
  private let state = Mutex(State())

  /// A pool. Nothing is connected yet.
  ///
  /// - Parameter timeline: what its connections share with others that are to reach no older primary.
  public init(
    _ address: PostgresAddress, settings: PostgresSettings = PostgresSettings(), limits: Limits = Limits(),
    timeline: PostgresTimeline? = nil
  ) {
    self.address = address
    self.settings = settings
    self.limits = limits
    self.timeline = timeline
  }

  /// Runs a closure with a connection. A transaction that it leaves open is rolled back.
  public func run<T: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
      enqueue { connection in
        let result = Result { try body(connection.get()) }
        return { continuation.resume(with: result) }
      }
    }
  }

  /// How busy a pool is.
  public struct Usage: Sendable, Hashable {
    /// The connections that are open, or being opened.
    public var connections: Int
    /// The pieces of work that wait for one.
    public var waiting: Int
  }

  /// How busy the pool is at this moment.
  public var usage: Usage {
    state.withLock { Usage(connections: $0.threads, waiting: $0.waiting.count) }
  }

  /// Closes each connection: those that are idle now, the others as soon as their work is done. Later work opens new
  /// ones. To be called after an error of kind `readOnly`: what was the primary is none any more.
  public func closeAll() {
    closeAll { _ in true }
  }

  /// The same for the connections that are as old as this one, which the server has left without a word: what is opened
  /// after the first of them has ended stays, when the others end.
  public func closeAll(asOldAs connection: PostgresConnection) {
    let generation = connection.generation
    closeAll { $0 == generation }
  }

  private func closeAll(when isMeant: (UInt64) -> Bool) {
    let idle = state.withLock { state in
      guard isMeant(state.generation) else { return [PoolWorker]() }
      state.generation += 1
      return state.takeIdle()
    }
    for worker in idle { worker.wake() }
  }

  /// Refuses later work. Each connection is closed when the accepted work is done.
  public func shutDown() {
    let idle = state.withLock { state in
      state.isClosed = true
      return state.takeIdle()
    }
    for worker in idle { worker.wake() }
  }

  /// Refuses later work, and returns when the accepted work is done and each connection is closed.
  public func close() async {
    await withCheckedContinuation { continuation in
      let (idle, isDone) = state.withLock { state in
        state.isClosed = true
        if state.threads > 0 { state.closers.append(continuation) }
        return (state.takeIdle(), state.threads == 0)
      }
      for worker in idle { worker.wake() }
      if isDone { continuation.resume() }
    }
  }
}

extension PostgresPool {
  /// What becomes of work that is given to the pool.
  private enum Place {
    case refused(PostgresError)
    case idle(PoolWorker, PoolWork)
    case thread(PoolWork)
    case waiting(UInt64)
  }

  func enqueue(_ run: @escaping @Sendable (Result<PostgresConnection, PostgresError>) -> PoolWork.Delivery) {
    switch state.withLock({ place(run, in: &$0) }) {
    case .refused(let error): run(.failure(error))()
    case .idle(let worker, let work): worker.wake(with: work)
    case .thread(let work):
      let worker = PoolWorker()
      worker.wake(with: work)
      Thread.detachNewThread { self.serve(worker) }
    case .waiting(let number): expire(number)
    }
  }

  private func place(
    _ run: @escaping @Sendable (Result<PostgresConnection, PostgresError>) -> PoolWork.Delivery, in state: inout State
  ) -> Place {
    guard !state.isClosed else { return .refused(PostgresError(.shutDown, message: "the pool is closed")) }
    state.lastNumber += 1
    let work = PoolWork(number: state.lastNumber, run: run)
    // The one that was used last: what is not needed cools down.
    if let worker = state.idle.popLast() { return .idle(worker, work) }
    if state.threads < limits.connections {
      state.threads += 1
      return .thread(work)
    }
    guard state.waiting.count < limits.waiting else { return .refused(exhausted("\(limits.waiting) wait already")) }
    state.waiting.append(work)
    return .waiting(work.number)
  }

  private func exhausted(_ reason: String) -> PostgresError {
    PostgresError(.poolExhausted, message: "each of the \(limits.connections) connections is in use, and \(reason)")
  }

  /// Refuses work that still waits when its patience is over.
  private func expire(_ number: UInt64) {
    let patience = DispatchTimeInterval.milliseconds(Int(limits.patience.milliseconds))
    DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [self] in
      let work = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      guard let work else { return }
      work.run(.failure(exhausted("none became free in time")))()
    }
  }

  /// The life of a connection's thread. While it waits it holds no work: work may hold the owner of the pool, which
  /// would never be let go.
  private func serve(_ worker: PoolWorker) {
    let slot = PoolSlot(address, settings: settings, timeline: timeline)
    while true {
      switch run(worker.wait(), worker, slot) {
      case .work(let work): worker.wake(with: work)
      case .idle(let generation): slot.renew(generation)
      case .end: return finish(slot)
      }
    }
  }

  private func run(_ work: PoolWork?, _ worker: PoolWorker, _ slot: PoolSlot) -> Step {
    let delivery = work.map { slot.run($0, generation: state.withLock(\.generation)) }
    let step = step(worker)
    // After the step: the caller's next work finds this thread idle.
    delivery?()
    return step
  }

  /// What a thread does next.
  private enum Step {
    case work(PoolWork)
    case idle(UInt64)
    case end
  }

  private func step(_ worker: PoolWorker) -> Step {
    state.withLock { state in
      if !state.waiting.isEmpty { return .work(state.waiting.removeFirst()) }
      if state.isClosed { return .end }
      state.idle.append(worker)
      return .idle(state.generation)
    }
  }

  private func finish(_ slot: PoolSlot) {
    slot.close()
    let closers = state.withLock { state in
      state.threads -= 1
      defer { if state.threads == 0 { state.closers = [] } }
      return state.threads == 0 ? state.closers : []
    }
    for closer in closers { closer.resume() }
  }
}
