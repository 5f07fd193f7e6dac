package import Tracing

/// The store's tracer: decides which requests are traced, and makes their spans.
///
/// Each request is drawn by itself. A caller can take itself out by the flag of its `traceparent`, and cannot get in by
/// the flag or by its choice of a trace id: the header may come from anyone.
package final class StoreTracer: Tracer {
  private static let traceparent = "traceparent"

  package let exporter: SpanExporter
  private let random: any RandomSource
  /// A request is traced when a random number of 56 bits is below this.
  private let threshold: UInt64

  package init(fraction: Double, random: any RandomSource, exporter: SpanExporter) {
    self.random = random
    self.exporter = exporter
    threshold = UInt64(min(max(fraction, 0), 1) * 0x1p56)
  }

  /// The context in which a root span is started; nil when the trace is not sampled.
  ///
  /// - Parameter header: the caller's `traceparent`.
  package func sampledContext(after header: String? = nil) -> InstrumentationContext? {
    let parent = header.flatMap { TraceParent(header: $0) }
    guard parent?.isSampled != false, newSpanID() & 0xff_ffff_ffff_ffff < threshold else { return nil }
    let traceID = parent?.traceID ?? newTraceID()
    var context = InstrumentationContext.topLevel
    context.remoteParent = parent
    context.traceID = traceID
    return context
  }

  package func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> StoreSpan {
    StoreSpan(operationName, kind: kind, at: instant().nanosecondsSinceEpoch, in: context(), tracer: self)
  }

  package func activeSpan(identifiedBy context: InstrumentationContext) -> StoreSpan? { context.activeSpan }

  /// Spans are sent by the exporter when it runs, and when it stops.
  package func forceFlush() {}

  package func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    guard let header = extractor.extract(key: Self.traceparent, from: carrier),
      let parent = TraceParent(header: header)
    else { return }
    context.remoteParent = parent
    context.traceID = parent.traceID
  }

  /// Nothing: other companies are not told which of the store's requests belong together.
  package func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {}

  func newTraceID() -> TraceID { TraceID(high: newSpanID(), low: newSpanID()) }

  /// Eight random bytes, not all zero.
  func newSpanID() -> UInt64 { max(1, random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }) }
}
