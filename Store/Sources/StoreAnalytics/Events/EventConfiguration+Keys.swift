package import StoreBase

extension EventConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<EventConfiguration>] = [
    ConfigurationKey("events.from_apps", path: \.areStored, kind: .flag),
    ConfigurationKey(
      "events.bytes_per_app", path: \.bytesPerApp, kind: .wholeNumber(2_097_152...1_099_511_627_776),
      unit: "bytes a day"),
    ConfigurationKey(
      "events.bytes_per_address", path: \.bytesPerAddress, kind: .wholeNumber(2_097_152...1_099_511_627_776),
      unit: "bytes a day"),
  ]
}
