import CoreMetrics
import Logging
import StoreBase

extension StoreTracer {
  /// The tracer that is configured; nil where no collector is.
  convenience init?(
    _ configuration: StoreConfiguration, clock: any StoreClock, random: any RandomSource, logger: Logger,
    metrics: any MetricsFactory
  ) {
    let spans = SpanMetrics(metrics)
    guard let url = configuration.tracing.url else { return nil }
    let resource = OTLPTraces.Resource([
      "service.name": "onside", "deployment.environment.name": configuration.environment.rawValue,
    ])
    let exporter = SpanExporter(
      SpanCollector(url: url, resource: resource), clock: clock, logger: logger, metrics: spans)
    self.init(fraction: configuration.tracing.fraction, random: random, exporter: exporter)
  }
}
