import CoreMetrics
import Foundation
import Logging
import StoreBase
import StoreSales
import StoreWeb
import Synchronization

/// What waits, what is stuck and how large the database is. The values are read when Prometheus asks, at most every
/// five seconds. A database that does not answer holds no answer up: then the last values are told, with their age.
final class StoreGauges: Sendable {
  private struct State {
    var readAt: Duration?
    var reading: Task<Void, Never>?
  }

  /// How long values are told again.
  private static let lifetime: Duration = .seconds(5)
  /// How long an answer waits for new values.
  private static let patience: Duration = .seconds(1)

  private let database: any Database
  private let clock: SandboxClock
  private let logger: Logger
  private let deadlines: DeadlineTimer
  private let orderLifetime: TimeInterval
  private let readiness: Readiness
  private let gauges: GaugeSeries
  private let state = Mutex(State())

  /// - Parameter kinds: the kinds of deliveries that the outbox has handlers for.
  init(_ dependencies: StoreDependencies, readiness: Readiness, deadlines: DeadlineTimer, kinds: [String]) {
    database = dependencies.database
    clock = dependencies.clock
    logger = dependencies.logger
    self.readiness = readiness
    self.deadlines = deadlines
    orderLifetime = dependencies.configuration.orderLifetime
    gauges = GaugeSeries(dependencies.metrics, kinds: kinds)
  }

  /// Brings the gauges up to date.
  func refresh() async {
    let now = clock.uptime()
    gauges.waitingWrites.record(database.waitingWrites)
    gauges.record(database.connections)
    gauges.clockJump.record(self.clock.steady?.jump ?? 0)
    let reading = state.withLock { state -> Task<Void, Never>? in
      if let readAt = state.readAt, now - readAt < Self.lifetime { return nil }
      // The database may hang; readiness has a time limit of its own.
      if state.reading != nil { Task { await self.recordReadiness() } }
      let reading = state.reading ?? Task { await self.read() }
      state.reading = reading
      return reading
    }
    if let reading { _ = await deadlines.result(within: Self.patience) { await reading.value } }
    let age = state.withLock { $0.readAt }.map { (clock.uptime() - $0).seconds }
    // +Inf until the first read succeeds.
    gauges.age.record(age ?? .infinity)
  }

  private func recordReadiness() async { gauges.record(await readiness.faults()) }

  private func read() async {
    await recordReadiness()
    do {
      let now = clock.now()
      let sizes = try await database.sizes()
      gauges.record(try await database.read(at: now) { try self.values(in: $0) }, at: now)
      gauges.data.record(sizes.data)
      gauges.log.record(sizes.log)
      let readAt = clock.uptime()
      state.withLock { ($0.readAt, $0.reading) = (readAt, nil) }
    } catch {
      logger.warning(
        "metrics cannot be read from the database", metadata: ["error": "\(error.loggedName)"])
      state.withLock { $0.reading = nil }
    }
  }

  private func values(in transaction: StoreTransaction) throws -> GaugeSeries.Values {
    let messages = try GaugeRecords.messages(in: transaction)
    let orders = try GaugeRecords.OrderState.allCases.map { state in
      (state, try GaugeRecords.orders(state, since: transaction.now - patience(for: state), in: transaction))
    }
    return GaugeSeries.Values(
      deliveries: try GaugeRecords.deliveries(in: transaction), phones: messages.phones,
      mailboxes: messages.mailboxes, orders: Dictionary(uniqueKeysWithValues: orders),
      owedRefunds: try GaugeRecords.owedRefunds(in: transaction),
      receipts: try GaugeRecords.receipts(in: transaction), events: try GaugeRecords.events(in: transaction),
      dueDisputes: try Dispute.due(at: transaction.now, in: transaction).count,
      webhooks: try GaugeRecords.webhooks(in: transaction))
  }

  /// After how many seconds in a state an order counts as stuck.
  private func patience(for state: GaugeRecords.OrderState) -> TimeInterval {
    switch state {
    // The store gives it up at the end of its lifetime.
    case .open: orderLifetime + 60
    // The store ends a payment that a provider does not start in time; some methods of payment take longer.
    case .processing: PaymentService.startLimit + 300
    case .owingRefund: 3600
    case .unfinished: 86_400
    }
  }
}
