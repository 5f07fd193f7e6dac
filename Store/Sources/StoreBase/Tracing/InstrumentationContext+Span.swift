import Tracing

extension InstrumentationContext {
  private enum ActiveSpanKey: InstrumentationContextKey { typealias Value = StoreSpan }
  private enum RemoteParentKey: InstrumentationContextKey { typealias Value = TraceParent }
  private enum TraceIDKey: InstrumentationContextKey { typealias Value = TraceID }

  /// The span that the work belongs to.
  var activeSpan: StoreSpan? {
    get { self[ActiveSpanKey.self] }
    set { self[ActiveSpanKey.self] = newValue }
  }

  /// The caller's span, on another machine.
  var remoteParent: TraceParent? {
    get { self[RemoteParentKey.self] }
    set { self[RemoteParentKey.self] = newValue }
  }

  /// The id of the trace that begins here, or goes on.
  var traceID: TraceID? {
    get { self[TraceIDKey.self] }
    set { self[TraceIDKey.self] = newValue }
  }
}
