import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import ServiceLifecycle
import StoreBaseTestSupport
import StoreTestSupport
import Testing
import Tracing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreWeb

@Suite("Sending spans to a collector", .timeLimit(.minutes(5)))
struct SpanExporterTests {
  static func exporter(to url: URL, clock: ManualClock, _ metrics: PrometheusMetrics) -> SpanExporter {
    SpanExporter(
      SpanCollector(url: url, resource: OTLPTraces.Resource([:])), clock: clock,
      logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), metrics: SpanMetrics(metrics))
  }

  private static func span(_ name: String) -> FinishedSpan {
    FinishedSpan(
      traceID: TraceID(high: 1, low: 2), spanID: 3, parentID: nil, name: name, kind: .internal, start: 1, end: 2,
      attributes: [:], events: [], hasFailed: false)
  }

  private func count(_ name: String, in metrics: PrometheusMetrics) -> Int? {
    metrics.text().split(separator: "\n").first { $0.hasPrefix("onside_spans_\(name)_total ") }
      .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
  }

  @Test("A collector that does not answer holds no request up; spans beyond the room for them are dropped and counted")
  func silent() async throws {
    // It accepts connections and says nothing.
    let silent = try SilentListener()
    let store = try await TestStore { $0.tracing.url = URL(string: "http://127.0.0.1:\(silent.port)/v1/traces") }
    let exporter = try #require(store.core.dependencies.tracer?.exporter)
    exporter.add(Self.span("first"))
    try await store.test { client in
      let sending = Task { await exporter.send() }
      for _ in 0..<SpanExporter.capacity { exporter.add(Self.span("waits")) }
      for _ in 0..<5 {
        let status = try await client.execute(uri: "/health/live", method: .get) { $0.status }
        #expect(status == .ok)
      }
      sending.cancel()
      await sending.value
      // The batch that was under way is put back as far as there is room.
      #expect(store.value("onside_spans_dropped_total") == 6)
      #expect(store.value("onside_spans_sent_total") == 0)
    }
  }

  @Test("A batch that a busy collector has not taken is sent again after a pause; one that it refuses is dropped")
  func failures() async throws {
    try await CollectorDouble.run { collector in
      let (clock, metrics) = (ManualClock(), PrometheusMetrics())
      let exporter = Self.exporter(to: try #require(collector.url), clock: clock, metrics)
      collector.answer(.serviceUnavailable)
      exporter.add(Self.span("first"))
      await exporter.send()
      #expect(count("sent", in: metrics) == 0 && count("dropped", in: metrics) == 0)
      collector.answer(.ok)
      await exporter.send()
      #expect(collector.spans.isEmpty, "it pauses")
      clock.advance(by: .seconds(2))
      await exporter.send()
      #expect(collector.spans.map(\.name) == ["first"] && count("sent", in: metrics) == 1)
      collector.answer(.badRequest)
      exporter.add(Self.span("second"))
      await exporter.send()
      #expect(count("dropped", in: metrics) == 1)
      collector.answer(.ok)
      clock.advance(by: .seconds(2))
      exporter.add(Self.span("third"))
      await exporter.send()
      #expect(collector.spans.map(\.name) == ["first", "third"])
    }
  }

  @Test("Spans are sent in batches, and none twice")
  func batches() async throws {
    try await CollectorDouble.run { collector in
      let metrics = PrometheusMetrics()
      let exporter = Self.exporter(to: try #require(collector.url), clock: ManualClock(), metrics)
      for number in 0..<1300 { exporter.add(Self.span("\(number)")) }
      await exporter.send()
      #expect(collector.spans.map(\.name) == (0..<1300).map { "\($0)" } && collector.bodies.count == 3)
    }
  }

  @Test("A stop does not wait for a collector that does not answer")
  func stop() async throws {
    let silent = try SilentListener()
    let metrics = PrometheusMetrics()
    let url = try #require(URL(string: "http://127.0.0.1:\(silent.port)/"))
    let exporter = Self.exporter(to: url, clock: ManualClock(), metrics)
    exporter.add(Self.span("left"))
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [exporter], logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(count("dropped", in: metrics) == 1 && count("sent", in: metrics) == 0)
  }
}

/// A port of 127.0.0.1 that accepts connections and never answers.
private final class SilentListener: Sendable {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (descriptor, length) = (descriptor, size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw POSIXError(.EADDRINUSE) }
  }

  deinit { close(descriptor) }
}
