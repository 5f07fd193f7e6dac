/// A secret of the configuration. Printing it shows nothing.
public struct ConfigurationSecret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package let value: String

  /// A secret.
  public init(_ value: String) { self.value = value }

  /// Nothing of the secret.
  public var description: String { "redacted" }
  /// Nothing of the secret.
  public var debugDescription: String { description }
  /// Nothing of the secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
