extension TracingConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<TracingConfiguration>] = [
    ConfigurationKey("tracing.url", path: \.url, kind: .collector),
    ConfigurationKey("tracing.sample", path: \.fraction, kind: .fraction),
  ]
}
