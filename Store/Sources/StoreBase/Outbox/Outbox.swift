import CoreMetrics
package import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The transactional outbox of calls to other systems: a row is written in the transaction of its cause, delivered
/// after the commit, and retried until the receiver accepts it. Receivers detect repeated deliveries by an id.
///
/// Each kind has a queue of its own, so that a slow or failing receiver delays no other. A receiver that asks for time
/// (``RetryAfterError``) gets it for what waits in the queue; what is delivered as it is written is not held up. A row
/// of a kind without a handler stays as it is. Rows of a suspended kind wait.
///
/// Several processes deliver from one database: each takes rows with an ``OutboxLease`` before it delivers them.
package final class Outbox: Service {
  package typealias Handler = @Sendable (_ payload: String) async throws -> Void
  /// Returns whether deliveries of a kind are suspended. Called before each claim, in its read transaction.
  package typealias SuspensionCheck = @Sendable (_ kind: String, _ connection: any SQLConnection) throws -> Bool

  private static let batchLimit = 50

  fileprivate struct Receiver {
    let longestDelay: TimeInterval?
    let concurrency: Int
    let drainsFirst: Bool
    let handler: Handler
  }

  struct State {
    fileprivate var receivers: [String: Receiver] = [:]
    /// How many leases this process has begun.
    fileprivate var leases = 0
    /// What this process holds, and until when.
    var held: [OutboxClaim: Date] = [:]
    /// Rows that were delivered and could not be deleted, and their kinds: only their deletion is tried again.
    fileprivate var delivered: [OutboxClaim: String] = [:]
    fileprivate var failedWrites = 0
    fileprivate var pausedUntil: Date?
    /// Until when the receivers of some kinds want to be left alone, as they have told this process.
    fileprivate var waitingUntil: [String: Date] = [:]
  }

  let dependencies: BaseDependencies
  let isSuspended: SuspensionCheck
  let records = OutboxRecords()
  let state = Mutex(State())
  /// The beginning of the names of this process's leases.
  private let process: String

  package init(_ dependencies: BaseDependencies, isSuspended: @escaping SuspensionCheck) {
    self.dependencies = dependencies
    self.isSuspended = isSuspended
    process = dependencies.random.token(bytes: 9)
  }

  /// The kinds that have a handler.
  package var kinds: [String] { state.withLock { $0.receivers.keys.sorted() } }

  /// Registers the handler of a kind of row. All handlers are registered before the outbox runs.
  ///
  /// - Parameters:
  ///   - longestDelay: the most seconds between two tries; nil for those of ``OutboxRetryPolicy``.
  ///   - concurrency: the most rows that are delivered at a time. More than one end in any order.
  ///   - drainsFirst: whether ``drain()`` delivers it before what may wait for it.
  package func register(
    _ kind: String, longestDelay: TimeInterval? = nil, concurrency: Int = 1, drainsFirst: Bool = false,
    handler: @escaping Handler
  ) {
    let receiver = Receiver(
      longestDelay: longestDelay, concurrency: concurrency, drainsFirst: drainsFirst, handler: handler)
    state.withLock { $0.receivers[kind] = receiver }
  }

  /// A lease from now on, for rows that are written or taken with it.
  package func lease() -> OutboxLease {
    let number = state.withLock { state in
      state.leases += 1
      return state.leases
    }
    return OutboxLease("\(process).\(number)", from: dependencies.clock.unmovedNow())
  }

  /// Delivers a row now that was written with a lease. A failed delivery is postponed to a retry.
  package func deliver(_ delivery: OutboxDelivery) async {
    hold([delivery])
    await deliverHeld(delivery)
  }

  /// Delivers the due rows, those of each kind in the order of their due times; returns the number of tried rows.
  @discardableResult
  package func drain() async throws -> Int {
    let first = state.withLock { state in state.receivers.filter(\.value.drainsFirst).keys.sorted() }
    return try await drain(first) + drain(kinds.filter { !first.contains($0) })
  }

  private func drain(_ kinds: [String]) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for kind in kinds { group.addTask { try await self.drain(kind) } }
      return try await group.reduce(0, +)
    }
  }

  /// Delivers the due rows every second, until the store stops.
  func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      for kind in kinds {
        group.addTask { await self.periodic(.seconds(1)) { _ = try await self.drain(kind) }.run() }
      }
      group.addTask { await self.periodic(.seconds(OutboxLease.renewalAge)) { await self.renewLeases() }.run() }
    }
  }

  private func periodic(_ period: Duration, _ work: @escaping @Sendable () async throws -> Void) -> PeriodicService {
    PeriodicService(
      every: period, named: "outbox", clock: dependencies.clock, logger: dependencies.logger, work)
  }

  private func drain(_ kind: String) async throws -> Int {
    var tried = 0
    while mayDeliver(kind) {
      guard await deleteDelivered(kind) else { break }
      let batch = try await claim(kind, limit: Self.batchLimit)
      let round = await deliver(batch, of: kind)
      tried += round
      if round == 0 || batch.count < Self.batchLimit { break }
    }
    return tried
  }

  /// Delivers rows of a kind, as many at a time as its receiver takes; returns how many were tried. What may not be
  /// delivered any more is given back.
  private func deliver(_ batch: [OutboxDelivery], of kind: String) async -> Int {
    let concurrency = state.withLock { $0.receivers[kind]?.concurrency ?? 1 }
    return await withTaskGroup(of: Bool.self) { group in
      var (waiting, atWork, tried) = (batch[...], 0, 0)
      while true {
        while atWork < concurrency, mayDeliver(kind), let next = waiting.popFirst() {
          group.addTask { await self.deliverHeld(next) }
          atWork += 1
        }
        guard let wasTried = await group.next() else { break }
        atWork -= 1
        if wasTried { tried += 1 }
      }
      if !waiting.isEmpty { await release(waiting.map(\.claim)) }
      return tried
    }
  }

  /// False when the lease has run out meanwhile, so that another process may deliver the row, or when its kind has no
  /// handler.
  @discardableResult
  private func deliverHeld(_ delivery: OutboxDelivery) async -> Bool {
    let (now, claim) = (dependencies.clock.unmovedNow(), delivery.claim)
    let receiver = state.withLock { state in
      state.held[claim].map { now < $0 } == true ? state.receivers[delivery.kind] : nil
    }
    guard let receiver else {
      forget([claim])
      return false
    }
    do {
      try await receiver.handler(delivery.payload)
      await delete(delivery)
    } catch {
      dependencies.logger.warning("delivery failed", metadata: ["error": "\(error.loggedName)"])
      await postpone(delivery, after: error)
    }
    return true
  }

  private func delete(_ delivery: OutboxDelivery) async {
    state.withLock { $0.delivered[delivery.claim] = delivery.kind }
    _ = await deleteDelivered(delivery.claim)
  }

  /// Deletes the rows of a kind that could not be deleted when they were delivered; false when that fails again.
  private func deleteDelivered(_ kind: String) async -> Bool {
    for claim in state.withLock({ $0.delivered.filter { $0.value == kind }.keys }) {
      guard await deleteDelivered(claim) else { return false }
    }
    return true
  }

  private func deleteDelivered(_ claim: OutboxClaim) async -> Bool {
    let deleted: Void? = await write { [records] in try records.delete(claim, in: $0) }
    guard deleted != nil else { return false }
    state.withLock { $0.delivered[claim] = nil }
    forget([claim])
    return true
  }

  private func postpone(_ delivery: OutboxDelivery, after error: any Error) async {
    let (claim, kind) = (delivery.claim, delivery.kind)
    forget([claim])
    let reason = error.loggedName
    let wait = (error as? any RetryAfterError)?.retryAfter.map { OutboxRetryPolicy.wait(told: $0) }
    let longestDelay = state.withLock { state in
      let longest = state.receivers[kind]?.longestDelay
      if let wait {
        let until = dependencies.clock.now() + min(wait, longest ?? .infinity)
        state.waitingUntil[kind] = max(state.waitingUntil[kind] ?? .distantPast, until)
      }
      return longest
    }
    _ = await write { [records] in
      try records.postpone(claim, because: reason, wait: wait, longestDelay: longestDelay, in: $0)
    }
  }
}

extension Outbox {
  /// Whether deliveries pause because a write has failed, for example on a full disk: a row that is delivered then
  /// could not be marked as delivered.
  var isPaused: Bool {
    let now = dependencies.clock.now()
    return state.withLock { $0.pausedUntil.map { now < $0 } ?? false }
  }

  /// Whether rows of a kind may be delivered now.
  private func mayDeliver(_ kind: String) -> Bool {
    let now = dependencies.clock.now()
    let isWaiting = state.withLock { $0.waitingUntil[kind].map { now < $0 } ?? false }
    return !isWaiting && !isPaused && !Task.isShuttingDownGracefully
  }

  /// Runs a write of the outbox's own; nil when it failed, which pauses deliveries for up to a minute.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (StoreTransaction) throws -> Value
  ) async -> Value? {
    do {
      let value = try await dependencies.database.write(at: dependencies.clock.now(), body)
      state.withLock { ($0.failedWrites, $0.pausedUntil) = (0, nil) }
      return value
    } catch {
      let now = dependencies.clock.now()
      let seconds = state.withLock { state in
        // Writes that shared a commit fail together, and count once.
        if state.pausedUntil.map({ now < $0 }) != true { state.failedWrites += 1 }
        let seconds = min(60, 1 << min(state.failedWrites, 6))
        state.pausedUntil = now.addingTimeInterval(TimeInterval(seconds))
        return seconds
      }
      dependencies.logger.error(
        "the outbox cannot be written, deliveries pause",
        metadata: ["error": "\(error.loggedName)", "seconds": "\(seconds)"])
      return nil
    }
  }
}
