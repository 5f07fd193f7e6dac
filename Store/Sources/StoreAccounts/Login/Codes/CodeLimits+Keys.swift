package import StoreBase

extension CodeLimits {
  /// The keys of the limits.
  package static let keys: [ConfigurationKey<CodeLimits>] = [
    ConfigurationKey("codes.per_number", path: \.perNumber, kind: .wholeNumber(1...1000), unit: "codes an hour"),
    ConfigurationKey(
      "codes.per_number_daily", path: \.perNumberDaily, kind: .wholeNumber(1...10_000), unit: "codes a day"),
    ConfigurationKey("codes.per_device", path: \.perDevice, kind: .wholeNumber(1...10_000), unit: "codes an hour"),
    ConfigurationKey("codes.per_network", path: \.perNetwork, kind: .wholeNumber(1...1_000_000), unit: "codes an hour"),
    ConfigurationKey("codes.per_range", path: \.perRange, kind: .wholeNumber(1...100_000), unit: "codes an hour"),
    ConfigurationKey("codes.total", path: \.total, kind: .wholeNumber(1...10_000_000), unit: "codes an hour"),
    ConfigurationKey("codes.resend_delay", path: \.resendDelay, kind: .seconds(1...600), unit: "seconds"),
    ConfigurationKey("codes.failures", path: \.failures, kind: .wholeNumber(5...100), unit: "codes"),
  ]
}
