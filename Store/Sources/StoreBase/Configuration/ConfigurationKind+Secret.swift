extension ConfigurationKind<ConfigurationSecret?> {
  /// A secret. The file's notation has only whether there is one.
  package static let secret = ConfigurationKind(
    expected: "a text", isSecret: true,
    parse: { value in value.text.flatMap { $0.isEmpty ? nil : ConfigurationSecret($0) } },
    literal: { secret in secret.map { _ in "\"redacted\"" } })
}
