import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The transactional outbox of calls to other systems: a row is written in the transaction of its cause, delivered
/// after the commit, and retried until the receiver accepts it. Receivers detect repeated deliveries by an id.
///
/// Each kind has a queue of its own, so that a slow or failing receiver delays no other. A row that has failed for a
/// day is set aside (``OutboxListing``). A row of a kind without a handler stays as it is.
final class Outbox: Service {
  typealias Handler = @Sendable (_ payload: String) async throws -> Void

  private static let batchLimit = 50

  private struct Receiver {
    let longestDelay: TimeInterval?
    let handler: Handler
  }

  private struct State {
    var receivers: [String: Receiver] = [:]
    var inDelivery: Set<Int64> = []
    /// Rows that were delivered and could not be deleted: only their deletion is tried again.
    var delivered: Set<Int64> = []
    var failedWrites = 0
    var pausedUntil: Date?
  }

  private let dependencies: StoreDependencies
  private let records = OutboxRecords()
  private let state = Mutex(State())
  private let setAside: Counter

  init(_ dependencies: StoreDependencies) {
    self.dependencies = dependencies
    setAside = Counter(label: "onside_outbox_set_aside_total", dimensions: [], factory: dependencies.metrics)
  }

  /// The kinds that have a handler.
  var kinds: [String] { state.withLock { $0.receivers.keys.sorted() } }

  /// Registers the handler of a kind of row. All handlers are registered before the outbox runs.
  ///
  /// - Parameter longestDelay: the most seconds between two tries; nil for those of ``OutboxRetryPolicy``.
  func register(_ kind: String, longestDelay: TimeInterval? = nil, handler: @escaping Handler) {
    state.withLock { $0.receivers[kind] = Receiver(longestDelay: longestDelay, handler: handler) }
  }

  /// Delivers one row now; false when the row is gone, another task delivers it, or its kind has no handler. A failed
  /// delivery is postponed to a retry.
  @discardableResult
  func deliver(_ id: Int64) async -> Bool {
    guard state.withLock({ $0.inDelivery.insert(id).inserted }) else { return false }
    defer { state.withLock { _ = $0.inDelivery.remove(id) } }
    do {
      let row = try await dependencies.database.read { [records] in try records.row(id, in: $0) }
      guard let row, let receiver = state.withLock({ $0.receivers[row.kind] }) else { return false }
      if !state.withLock({ $0.delivered.contains(id) }) { try await receiver.handler(row.payload) }
    } catch {
      dependencies.logger.warning("delivery failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      await postpone(id, after: error)
      return true
    }
    await delete(id)
    return true
  }

  /// Delivers everything that is due, each kind in the order in which it became due; returns how many rows were tried.
  @discardableResult
  func drain() async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for kind in kinds { group.addTask { try await self.drain(kind) } }
      return try await group.reduce(0, +)
    }
  }

  /// Delivers the due rows every second, until the store stops.
  func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      for kind in kinds { group.addTask { await self.run(kind) } }
    }
  }

  private func run(_ kind: String) async {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        _ = try await drain(kind)
      } catch {
        dependencies.logger.error("outbox failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
      try? await cancelWhenGracefulShutdown { try await self.dependencies.clock.sleep(for: .seconds(1)) }
    }
  }

  private func drain(_ kind: String) async throws -> Int {
    var tried = 0
    while !isPaused {
      let due = try await dependencies.database.read(at: dependencies.clock.now()) { [records] in
        try records.due(kind, limit: Self.batchLimit, in: $0)
      }
      var round = 0
      for id in due {
        if isPaused { break }
        if await deliver(id) { round += 1 }
      }
      tried += round
      if round == 0 || due.count < Self.batchLimit { break }
    }
    return tried
  }

  private func delete(_ id: Int64) async {
    state.withLock { _ = $0.delivered.insert(id) }
    let deleted: Void? = await write { [records] in try records.delete(id, in: $0) }
    if deleted != nil { state.withLock { _ = $0.delivered.remove(id) } }
  }

  private func postpone(_ id: Int64, after error: any Error) async {
    let reason = String(reflecting: type(of: error))
    let longestDelays = state.withLock { $0.receivers.compactMapValues(\.longestDelay) }
    let postponement = await write { [records] in
      try records.postpone(id, because: reason, longestDelays: longestDelays, in: $0)
    }
    guard postponement == .setAside else { return }
    setAside.increment()
    dependencies.logger.error(
      "a delivery has failed for a day and is set aside: onside outbox list", metadata: ["row": "\(id)"])
  }
}

extension Outbox {
  /// Whether deliveries pause because a write has failed, for example on a full disk: a row that is delivered then
  /// could not be marked as delivered.
  private var isPaused: Bool {
    let now = dependencies.clock.now()
    return state.withLock { $0.pausedUntil.map { now < $0 } ?? false }
  }

  /// Writes the result of a delivery; nil when that failed, which pauses the outbox for up to a minute.
  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (StoreTransaction) throws -> Value
  ) async -> Value? {
    do {
      let value = try await dependencies.database.write(at: dependencies.clock.now(), body)
      state.withLock { ($0.failedWrites, $0.pausedUntil) = (0, nil) }
      return value
    } catch {
      let now = dependencies.clock.now()
      let seconds = state.withLock { state in
        state.failedWrites += 1
        let seconds = min(60, 1 << min(state.failedWrites, 6))
        state.pausedUntil = now.addingTimeInterval(TimeInterval(seconds))
        return seconds
      }
      dependencies.logger.error(
        "the outbox cannot be written, deliveries pause",
        metadata: ["error": "\(String(reflecting: type(of: error)))", "seconds": "\(seconds)"])
      return nil
    }
  }
}
