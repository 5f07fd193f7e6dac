import Tracing

/// Spans as OTLP writes them in JSON (OpenTelemetry protocol 1, `ExportTraceServiceRequest`): ids in hexadecimal
/// digits, numbers of 64 bits as texts, enumerations as numbers.
package struct OTLPTraces: Encodable, Sendable {
  package struct Resource: Encodable, Sendable {
    let attributes: [Attribute]

    package init(_ attributes: KeyValuePairs<String, String>) {
      self.attributes = attributes.map { Attribute(key: $0.key, value: Value(.string($0.value))) }
    }
  }

  struct Attribute: Encodable, Sendable {
    let key: String
    let value: Value
  }

  /// Exactly one of the fields is there.
  struct Value: Encodable, Sendable {
    var stringValue: String?
    var intValue: String?
    var boolValue: Bool?
    var doubleValue: Double?

    init(_ value: SpanAttribute) {
      switch value {
      case .string(let text): stringValue = text
      case .int64(let number): intValue = String(number)
      case .int32(let number): intValue = String(number)
      case .bool(let flag): boolValue = flag
      case .double(let number): doubleValue = number
      default: stringValue = ""
      }
    }
  }

  private struct ResourceSpans: Encodable, Sendable {
    let resource: Resource
    let scopeSpans: [ScopeSpans]
  }

  private struct ScopeSpans: Encodable, Sendable {
    struct Scope: Encodable, Sendable { let name: String }

    let scope: Scope
    let spans: [OTLPSpan]
  }

  private let resourceSpans: [ResourceSpans]

  init(_ spans: [FinishedSpan], of resource: Resource) {
    resourceSpans = [
      ResourceSpans(
        resource: resource, scopeSpans: [ScopeSpans(scope: .init(name: "onside"), spans: spans.map(OTLPSpan.init))])
    ]
  }
}

/// One span of ``OTLPTraces``.
private struct OTLPSpan: Encodable, Sendable {
  private struct Event: Encodable, Sendable {
    let name: String
    let timeUnixNano: String
  }

  private struct Status: Encodable, Sendable { let code: Int }

  private let traceId: String
  private let spanId: String
  private let parentSpanId: String?
  private let name: String
  private let kind: Int
  private let startTimeUnixNano: String
  private let endTimeUnixNano: String
  private let attributes: [OTLPTraces.Attribute]
  private let events: [Event]
  private let status: Status

  init(_ span: FinishedSpan) {
    traceId = span.traceID.hexadecimal
    spanId = span.spanID.hexadecimal
    parentSpanId = span.parentID?.hexadecimal
    name = span.name
    kind = Self.number(of: span.kind)
    startTimeUnixNano = String(span.start)
    endTimeUnixNano = String(span.end)
    var attributes: [OTLPTraces.Attribute] = []
    span.attributes.forEach { attributes.append(OTLPTraces.Attribute(key: $0, value: OTLPTraces.Value($1))) }
    self.attributes = attributes.sorted { $0.key < $1.key }
    events = span.events.map { Event(name: $0.name, timeUnixNano: String($0.nanosecondsSinceEpoch)) }
    status = Status(code: span.hasFailed ? 2 : 0)
  }

  private static func number(of kind: SpanKind) -> Int {
    switch kind {
    case .internal: 1
    case .server: 2
    case .client: 3
    case .producer: 4
    case .consumer: 5
    }
  }
}
