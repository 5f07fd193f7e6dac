import Synchronization
package import Tracing

/// A part of the work on one request, or on one delivery, that is recorded. It is handed to the exporter when it ends.
///
/// A span holds nothing personal and no secret: its name and its attributes are written by the store alone, and of an
/// error it keeps the type.
package final class StoreSpan: Span {
  private struct State {
    var name: String
    var attributes: SpanAttributes = [:]
    var events: [SpanEvent] = []
    var hasFailed = false
    var hasEnded = false
  }

  let traceID: TraceID
  let spanID: UInt64
  private let parentID: UInt64?
  private let kind: SpanKind
  private let start: UInt64
  private let base: InstrumentationContext
  private let tracer: StoreTracer
  private let state: Mutex<State>

  init(_ name: String, kind: SpanKind, at start: UInt64, in base: InstrumentationContext, tracer: StoreTracer) {
    let parent = base.activeSpan
    (traceID, spanID, parentID) =
      if let parent {
        (parent.traceID, tracer.newSpanID(), parent.spanID)
      } else {
        (base.traceID ?? tracer.newTraceID(), tracer.newSpanID(), base.remoteParent?.spanID)
      }
    self.kind = kind
    self.start = start
    self.base = base
    self.tracer = tracer
    state = Mutex(State(name: name))
  }

  /// A part of the work that is being traced; nil when nothing is, or this is not sampled.
  package static func startChild(_ name: String, ofKind kind: SpanKind = .internal) -> StoreSpan? {
    guard let context = InstrumentationContext.current, let parent = context.activeSpan else { return nil }
    return parent.tracer.startSpan(name, context: context, ofKind: kind)
  }

  /// The context of the span's own parts. It is not stored: it would keep the span alive.
  package var context: InstrumentationContext {
    var context = base
    context.activeSpan = self
    return context
  }

  package var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  package var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }

  package var isRecording: Bool { state.withLock { !$0.hasEnded } }

  /// Keeps whether the work failed; the message is not kept.
  package func setStatus(_ status: SpanStatus) { state.withLock { $0.hasFailed = status.code == .error } }

  /// Keeps the name and the time of the event.
  package func addEvent(_ event: SpanEvent) { state.withLock { $0.events.append(event) } }

  /// Keeps the type of the error: its text may hold what a user sent.
  package func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    state.withLock { $0.attributes["error.type"] = error.loggedName }
  }

  /// Not kept: no span of the store belongs to two traces.
  package func addLink(_ link: SpanLink) {}

  /// Hands the span to the exporter, once.
  package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let end = instant().nanosecondsSinceEpoch
    let ended = state.withLock { state -> State? in
      guard !state.hasEnded else { return nil }
      state.hasEnded = true
      return state
    }
    guard let ended else { return }
    tracer.exporter.add(
      FinishedSpan(
        traceID: traceID, spanID: spanID, parentID: parentID, name: ended.name, kind: kind, start: start, end: end,
        attributes: ended.attributes, events: ended.events, hasFailed: ended.hasFailed))
  }
}
