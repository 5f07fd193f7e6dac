import Tracing

/// Calls to other systems, such as a payment provider, as spans: parts of the request that makes them, or traces of
/// their own when a call is tried again later.
package struct TracedCall: Sendable {
  package let tracer: StoreTracer
  /// The called system's name, such as `sandbox`.
  package let system: String

  package init(tracer: StoreTracer, system: String) {
    self.tracer = tracer
    self.system = system
  }

  package func callAsFunction<Result>(_ name: String, _ body: () async throws -> Result) async throws -> Result {
    // Without a context no request has decided whether it is traced.
    let context = InstrumentationContext.current ?? tracer.sampledContext()
    guard let context, context.traceID != nil else { return try await body() }
    return try await tracer.withSpan(name, context: context, ofKind: .client) { span in
      span.attributes["peer.service"] = system
      return try await body()
    }
  }
}
