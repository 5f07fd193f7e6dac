import Tracing

/// A span that has ended.
struct FinishedSpan: Sendable {
  let traceID: TraceID
  let spanID: UInt64
  let parentID: UInt64?
  let name: String
  let kind: SpanKind
  /// Nanoseconds since 1970.
  let start: UInt64
  let end: UInt64
  let attributes: SpanAttributes
  let events: [SpanEvent]
  let hasFailed: Bool
}
