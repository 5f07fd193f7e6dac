import CoreMetrics
import Foundation
package import Logging
import ServiceLifecycle
import Synchronization

/// Sends finished spans to the collector, in batches. Nothing waits for it: spans for which there is no room are
/// dropped and counted.
package final class SpanExporter: Service {
  /// The most spans that wait.
  static let capacity = 8192
  private static let batchLimit = 512
  private static let interval = Duration.seconds(1)
  /// How long a stop waits for the spans that are left.
  private static let stopLimit = Duration.seconds(2)

  private struct State {
    var waiting: [FinishedSpan] = []
    var failures = 0
    var pausedUntil: Duration?
  }

  private let collector: SpanCollector
  private let clock: any StoreClock
  private let logger: Logger
  private let metrics: SpanMetrics
  private let state = Mutex(State())

  package init(_ collector: SpanCollector, clock: any StoreClock, logger: Logger, metrics: SpanMetrics) {
    self.collector = collector
    self.clock = clock
    self.logger = logger
    self.metrics = metrics
  }

  /// Takes a span. It never waits.
  func add(_ span: FinishedSpan) {
    let isTaken = state.withLock { state in
      guard state.waiting.count < Self.capacity else { return false }
      state.waiting.append(span)
      return true
    }
    if !isTaken { metrics.dropped.increment() }
  }

  /// Sends what waits every second, and what is left when the store stops.
  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try? await cancelWhenGracefulShutdown {
        try await self.clock.sleep(for: Self.interval)
        await self.send()
      }
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.send(isLast: true) }
      // The machine's own time: the store's clock may stand still by now.
      group.addTask { try? await Task.sleep(for: Self.stopLimit) }
      await group.next()
      group.cancelAll()
    }
    dropAll()
  }

  /// Sends what waits now, in batches, until one of them fails.
  func send(isLast: Bool = false) async {
    if !isLast, let until = state.withLock({ $0.pausedUntil }), clock.uptime() < until { return }
    while let batch = nextBatch() {
      switch await collector.send(batch) {
      case .taken:
        metrics.sent.increment(by: batch.count)
        succeeded()
      case .refused(let reason):
        metrics.dropped.increment(by: batch.count)
        failed(reason)
        return
      case .unreachable(let reason):
        putBack(batch)
        failed(reason)
        return
      }
    }
  }

  private func nextBatch() -> [FinishedSpan]? {
    state.withLock { state in
      let batch = Array(state.waiting.prefix(Self.batchLimit))
      state.waiting.removeFirst(batch.count)
      return batch.isEmpty ? nil : batch
    }
  }

  /// A batch that was not taken is sent again, as far as there is room.
  private func putBack(_ batch: [FinishedSpan]) {
    let dropped = state.withLock { state in
      let room = Self.capacity - state.waiting.count
      state.waiting.insert(contentsOf: batch.suffix(room), at: 0)
      return batch.count - min(room, batch.count)
    }
    if dropped > 0 { metrics.dropped.increment(by: dropped) }
  }

  private func dropAll() {
    let count = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting.count
    }
    if count > 0 { metrics.dropped.increment(by: count) }
  }

  private func succeeded() {
    let failures = state.withLock { state in
      defer { (state.failures, state.pausedUntil) = (0, nil) }
      return state.failures
    }
    if failures > 0 { logger.notice("spans reach the collector again") }
  }

  /// Pauses for up to half a minute, and logs the first failure of a row.
  private func failed(_ reason: String) {
    let now = clock.uptime()
    let failures = state.withLock { state in
      state.failures += 1
      state.pausedUntil = now + .seconds(min(30, 1 << min(state.failures, 5)))
      return state.failures
    }
    if failures == 1 { logger.warning("spans do not reach the collector", metadata: ["reason": "\(reason)"]) }
  }
}
