/// A schema that was brought forward.
public struct SchemaChange: Sendable, Hashable {
  /// The number of the newest migration before, and after.
  public let from, to: Int
}

/// How the opening of a database treats a schema that is older than the program's.
public enum OlderSchema: Sendable {
  /// Applies the missing migrations.
  case migrate
  /// Refuses the file and changes nothing.
  case refuse
}
