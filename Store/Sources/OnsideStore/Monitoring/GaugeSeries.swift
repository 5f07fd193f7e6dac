import CoreMetrics
import Foundation
import StoreBase

/// The series of ``StoreGauges``, all there from the beginning.
struct GaugeSeries: Sendable {
  struct Values: Sendable {
    var deliveries: [String: GaugeRecords.Deliveries]
    var phones: GaugeRecords.Waiting
    var mailboxes: GaugeRecords.Waiting
    var orders: [GaugeRecords.OrderState: GaugeRecords.Waiting]
    var owedRefunds: GaugeRecords.Waiting
    var receipts: GaugeRecords.Waiting
    var events: GaugeRecords.Waiting
    /// The number of open disputes whose evidence is due within a week.
    var dueDisputes: Int
    /// The endpoints of webhooks that the store has disabled, and those that have failed for a day.
    var webhooks: (disabled: Int, failing: Int)
  }

  private struct Kind: Sendable {
    let due, failing: AgedGauge
    let waiting: Gauge
  }

  let waitingWrites, data, log, age, clockJump: Gauge
  private let connections, waitingReads, failovers: Gauge
  private let kinds: [String: Kind]
  private let phones, mailboxes, owedRefunds, receipts, events: AgedGauge
  private let dueDisputes, disabledWebhooks, failingWebhooks: Gauge
  private let ready: [Readiness.Part: Gauge]
  private let orders: [GaugeRecords.OrderState: AgedGauge]

  init(_ factory: any MetricsFactory, kinds: [String]) {
    func gauge(_ name: String, _ labels: [(String, String)] = []) -> Gauge {
      Gauge(label: name, dimensions: labels, factory: factory)
    }
    func messages(_ recipients: String) -> AgedGauge {
      AgedGauge(
        "onside_messages_waiting", age: "onside_messages_oldest_seconds", labels: [("recipients", recipients)],
        factory)
    }
    waitingWrites = gauge("onside_waiting_writes")
    data = gauge("onside_database_bytes")
    log = gauge("onside_database_log_bytes")
    age = gauge("onside_gauges_age_seconds")
    clockJump = gauge("onside_clock_jump_seconds")
    connections = gauge("onside_database_connections")
    waitingReads = gauge("onside_waiting_reads")
    failovers = gauge("onside_database_failovers")
    (phones, mailboxes) = (messages("phones"), messages("mailboxes"))
    owedRefunds = AgedGauge("onside_refunds_owed", age: "onside_refunds_owed_oldest_seconds", labels: [], factory)
    receipts = AgedGauge("onside_receipts_waiting", age: "onside_receipts_waiting_oldest_seconds", labels: [], factory)
    events = AgedGauge(
      "onside_merchant_events_waiting", age: "onside_merchant_events_waiting_oldest_seconds", labels: [], factory)
    dueDisputes = gauge("onside_disputes_due")
    disabledWebhooks = gauge("onside_webhook_endpoints_disabled")
    failingWebhooks = gauge("onside_webhook_endpoints_failing")
    orders = Dictionary(
      uniqueKeysWithValues: GaugeRecords.OrderState.allCases.map { state in
        let labels = [("state", state.rawValue)]
        return (
          state,
          AgedGauge("onside_orders_stuck", age: "onside_orders_oldest_seconds", labels: labels, factory)
        )
      })
    ready = Dictionary(
      uniqueKeysWithValues: Readiness.Part.allCases.map { ($0, gauge("onside_ready", [("part", $0.rawValue)])) })
    // Neither ready nor not, until the first answer.
    for gauge in ready.values { gauge.record(Double.nan) }
    self.kinds = Dictionary(
      uniqueKeysWithValues: (kinds + [Self.other]).map { kind in
        let labels = [("kind", kind)]
        return (
          kind,
          Kind(
            due: AgedGauge("onside_outbox_due", age: "onside_outbox_due_oldest_seconds", labels: labels, factory),
            failing: AgedGauge(
              "onside_outbox_failing", age: "onside_outbox_failing_oldest_seconds", labels: labels, factory),
            waiting: gauge("onside_outbox_waiting", labels))
        )
      })
  }

  /// The rows of all kinds that this program does not deliver.
  private static let other = "other"

  func record(_ faults: [Readiness.Part: String]) {
    for (part, gauge) in ready { gauge.record(faults[part] == nil ? 1 : 0) }
  }

  /// Without a server all are 0.
  func record(_ connections: DatabaseConnections?) {
    self.connections.record(connections?.open ?? 0)
    waitingReads.record(connections?.waitingReads ?? 0)
    failovers.record(connections?.failovers ?? 0)
  }

  func record(_ values: Values, at now: Date) {
    phones.record(values.phones, at: now)
    mailboxes.record(values.mailboxes, at: now)
    owedRefunds.record(values.owedRefunds, at: now)
    receipts.record(values.receipts, at: now)
    events.record(values.events, at: now)
    dueDisputes.record(values.dueDisputes)
    disabledWebhooks.record(values.webhooks.disabled)
    failingWebhooks.record(values.webhooks.failing)
    for (state, gauge) in orders { gauge.record(values.orders[state] ?? .init(), at: now) }
    let unknown = values.deliveries.filter { kinds[$0.key] == nil }.values.reduce(GaugeRecords.Deliveries(), +)
    for (kind, gauges) in kinds {
      let deliveries = kind == Self.other ? unknown : values.deliveries[kind] ?? .init()
      gauges.due.record(deliveries.due, at: now)
      gauges.failing.record(deliveries.failing, at: now)
      gauges.waiting.record(deliveries.waiting)
    }
  }
}

extension GaugeRecords.Deliveries {
  fileprivate static func + (first: Self, second: Self) -> Self {
    func sum(_ one: GaugeRecords.Waiting, _ other: GaugeRecords.Waiting) -> GaugeRecords.Waiting {
      .init(count: one.count + other.count, oldest: [one.oldest, other.oldest].compactMap(\.self).min())
    }
    return Self(
      due: sum(first.due, second.due), failing: sum(first.failing, second.failing),
      waiting: first.waiting + second.waiting)
  }
}
