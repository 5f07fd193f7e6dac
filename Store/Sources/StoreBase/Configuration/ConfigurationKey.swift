/// One thing that can be configured: its name in the file, in the environment, and what it means. Each module has the
/// keys of its own configuration; ``within(_:)`` makes them keys of the program's.
package struct ConfigurationKey<Configuration>: Sendable {
  /// The name in the file, with its table: `limits.connections`.
  package let name: String
  /// What a value has to be.
  package let expected: String
  /// What a number counts; nil where there is nothing to count.
  package let unit: String?
  /// True when a value that was refused is not shown: it is, or may hold, a secret.
  package let isSecret: Bool
  /// Sets the value; false if it is not what the key takes.
  package let write: @Sendable (ConfigurationValue, inout Configuration) -> Bool
  /// The value in the file's notation; nil when there is none.
  package let literal: @Sendable (Configuration) -> String?

  /// The name of the environment variable: `ONSIDE_LIMITS_CONNECTIONS`.
  package var variable: String { "ONSIDE_" + name.uppercased().replacing(".", with: "_") }
}

extension ConfigurationKey {
  /// A key of the value at a path.
  package init<Value: Sendable>(
    _ name: String, path: any WritableKeyPath<Configuration, Value> & Sendable, kind: ConfigurationKind<Value>,
    unit: String? = nil
  ) {
    self.init(
      name: name, expected: kind.expected, unit: unit, isSecret: kind.isSecret,
      write: { given, configuration in
        guard let value = kind.parse(given) else { return false }
        configuration[keyPath: path] = value
        return true
      },
      literal: { kind.literal($0[keyPath: path]) })
  }

  /// The same key for a configuration that has this one at a path.
  package func within<Whole>(
    _ path: any WritableKeyPath<Whole, Configuration> & Sendable
  ) -> ConfigurationKey<Whole> {
    ConfigurationKey<Whole>(
      name: name, expected: expected, unit: unit, isSecret: isSecret,
      write: { given, whole in write(given, &whole[keyPath: path]) },
      literal: { literal($0[keyPath: path]) })
  }
}
