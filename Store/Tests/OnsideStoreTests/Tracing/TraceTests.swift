import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing
import Tracing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Traces of requests", .timeLimit(.minutes(5)))
struct TraceTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let caller = "b7ad6b7169203331"
  private static let parent = "00-\(trace)-\(caller)-01"

  /// The spans of a purchase on the payment page, whose browser sends a `traceparent`.
  private func purchase(collector: CollectorDouble) async throws -> [CollectorDouble.Span] {
    let store = try await TestStore { $0.tracing.url = collector.url }
    try await store.shop { shopper in
      let order = try await shopper.order("coins")
      let path = try #require(order.paymentURL?.path())
      let browser = try await Browser(shopper.client).get(path)
      browser.headers[.traceparent] = Self.parent
      try await browser.submit(path, with: ["method": "card_succeeds"])
      let state = try await shopper.order(order.id).state
      #expect(state == .paid)
    }
    await store.core.dependencies.tracer?.exporter.send()
    return collector.spans
  }

  @Test("A purchase's request goes on with its caller's trace; its commits and the provider's calls are parts of it")
  func linked() async throws {
    try await CollectorDouble.run { collector in
      let spans = try await purchase(collector: collector)
      let request = try #require(spans.first { $0.parentSpanId == Self.caller && $0.name.hasPrefix("POST /pay") })
      #expect(request.traceId == Self.trace && request.kind == 2 && request.status.code == 0)
      #expect(request["http.request.method"] == "POST" && request["http.route"]?.contains("{") == true)
      #expect(request["http.response.status_code"] != nil)
      let parts = spans.filter { $0.parentSpanId == request.spanId }
      let commit = try #require(parts.first { $0.name == "commit" })
      #expect(commit.traceId == Self.trace && commit.kind == 1 && commit.events.map(\.name) == ["statements"])
      let call = try #require(parts.first { $0.name == "payment start" })
      #expect(call.traceId == Self.trace && call.kind == 3 && call["peer.service"] == "sandbox")
      #expect(spans.contains { $0.parentSpanId == call.spanId && $0.name == "commit" })
      for span in spans {
        let start = try #require(UInt64(span.startTimeUnixNano))
        let end = try #require(UInt64(span.endTimeUnixNano))
        #expect(start <= end, "\(span.name)")
        #expect(start != 0, "\(span.name)")
      }
      #expect(Set(spans.map(\.spanId)).count == spans.count)
      #expect(collector.resource == ["service.name": "onside", "deployment.environment.name": "sandbox"])
    }
  }

  @Test(
    "A request without a traceparent, and with a malformed one, begins a trace of its own",
    arguments: [
      nil, "", "00", "00-\(trace)-\(caller)", "00-\(trace)-\(caller)-01-more", "00-\(trace)-\(caller)-1",
      "00-00000000000000000000000000000000-\(caller)-01", "00-\(trace)-0000000000000000-01",
      "ff-\(trace)-\(caller)-01", "00-\(trace.uppercased())-\(caller)-01", "00-\(trace)x-\(caller)-01",
      "00-\(trace)-\(caller)-01,00-\(trace)-\(caller)-01", "00-+\(trace.dropFirst())-\(caller)-01",
    ])
  func malformed(header: String?) async throws {
    try await CollectorDouble.run { collector in
      let store = try await TestStore { $0.tracing.url = collector.url }
      try await store.test { client in
        var headers = HTTPFields()
        headers[.traceparent] = header
        let status = try await client.execute(uri: "/health/live", method: .get, headers: headers) { $0.status }
        #expect(status == .ok)
      }
      await store.core.dependencies.tracer?.exporter.send()
      let span = try #require(collector.spans.first)
      #expect(collector.spans.count == 1 && span.name == "GET /health/live")
      #expect(span.parentSpanId == nil && span.traceId != Self.trace && span.traceId.count == 32)
    }
  }

  @Test("A later version of traceparent is read as far as it is known")
  func laterVersion() throws {
    let parent = try #require(TraceParent(header: "01-\(Self.trace)-\(Self.caller)-03-more"))
    #expect(parent.traceID.hexadecimal == Self.trace && parent.isSampled)
  }

  @Test("A traceparent that is not sampled takes a request out; one that is sampled does not exceed the fraction")
  func parentsAndSampling() async throws {
    let (all, none) = (Self.tracer(fraction: 1), Self.tracer(fraction: 0))
    #expect(all.sampledContext(after: Self.parent) != nil)
    #expect(all.sampledContext(after: "00-\(Self.trace)-\(Self.caller)-00") == nil)
    #expect(none.sampledContext(after: Self.parent) == nil && none.sampledContext() == nil)
  }

  @Test(
    "A fraction of the requests is traced, whatever trace ids their callers choose",
    arguments: [nil, "00-\(trace)-\(caller)-01", "00-00000000000000000000000000000001-\(caller)-01"])
  func sampling(header: String?) {
    let tracer = Self.tracer(fraction: 0.25)
    let sampled = (0..<2000).count { _ in tracer.sampledContext(after: header) != nil }
    #expect((400...600).contains(sampled), "\(sampled)")
  }

  @Test("A request that is not sampled leaves no span, nor do its commits and its calls of the provider")
  func unsampled() async throws {
    try await CollectorDouble.run { collector in
      let store = try await TestStore { $0.tracing.url = collector.url }
      try await store.shop { shopper in
        let order = try await shopper.order("coins")
        let path = try #require(order.paymentURL?.path())
        await store.core.dependencies.tracer?.exporter.send()
        let before = collector.spans.count
        let browser = Browser(shopper.client)
        browser.headers[.traceparent] = "00-\(Self.trace)-\(Self.caller)-00"
        try await browser.get(path).submit(path, with: ["method": "card_succeeds"])
        await store.core.dependencies.tracer?.exporter.send()
        #expect(before > 0 && collector.spans.count == before)
        let state = try await shopper.order(order.id).state
        #expect(state == .paid)
      }
    }
  }

  @Test("SEC-1: spans hold no path, no query, no token, no account, no phone number and no text of an error")
  func redacted() async throws {
    struct Refusing: MessageSender {
      func send(_ message: OutgoingMessage) async throws { throw MessageFailure.refused("no \(message.to.text)") }
    }
    try await CollectorDouble.run { collector in
      let store = try await TestStore(sender: Refusing()) { $0.tracing.url = collector.url }
      let phone = try PhoneNumber(parsing: "+31612345678")
      try await store.shop { shopper in
        let key = store.freshID()
        let order = try await shopper.order("coins", key: key, token: "app-account-token")
        let path = try #require(order.paymentURL?.path())
        let browser = try await Browser(shopper.client).get(path + "?state=secret-state")
        try await browser.submit(path, with: ["method": "card_succeeds"])
        try await shopper.get("/no-such-path-of-ann?secret-state")
        try await shopper.get("/v1/orders/\(order.id)?secret-state")
        let sender = try #require(store.core.dependencies.senders.phone)
        let message = OutgoingMessage(
          id: "1", to: .phone(phone), code: "code-of-ann", subject: "", text: "Your code-of-ann")
        await #expect(throws: MessageFailure.self) { try await sender.send(message) }
        await store.core.dependencies.tracer?.exporter.send()
        let sent = collector.bodies.joined()
        #expect(sent.contains("POST /v1/orders") && sent.contains("message send") && sent.contains("MessageFailure"))
        let page = try #require(order.paymentURL).lastPathComponent
        let secrets = [
          "secret-state", "of-ann", "612345678", shopper.accountID, order.id.description, shopper.token,
          key.uuidString.lowercased(), "app-account-token", page,
        ]
        for secret in secrets {
          #expect(!sent.contains(secret), "\(secret)")
        }
      }
    }
  }

  @Test("A store that stops sends the spans that wait")
  func stop() async throws {
    try await CollectorDouble.run { collector in
      let store = try await TestStore { $0.tracing.url = collector.url }
      try await store.live { address in
        let request = URLRequest(url: address.appending(path: "health/live"))
        _ = try await URLSession.shared.answer(to: request)
      }
      #expect(collector.spans.map(\.name) == ["GET /health/live"])
      #expect(store.value("onside_spans_sent_total") == 1 && store.value("onside_spans_dropped_total") == 0)
    }
  }

  private static func tracer(fraction: Double, seed: UInt64 = 1) -> StoreTracer {
    let random = SeededRandomSource(seed: seed)
    return StoreTracer(
      fraction: fraction, random: random,
      exporter: SpanExporterTests.exporter(to: URL(filePath: "/"), clock: ManualClock(), PrometheusMetrics()))
  }
}
