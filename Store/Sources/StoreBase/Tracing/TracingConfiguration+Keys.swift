extension TracingConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<TracingConfiguration>] = [
    ConfigurationKey("tracing.url", path: \.url, kind: .plainAddress),
    ConfigurationKey("tracing.sample", path: \.fraction, kind: .fraction),
  ]
}
