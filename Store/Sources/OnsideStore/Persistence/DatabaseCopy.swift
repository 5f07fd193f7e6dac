/// What a copy of the database is.
public struct DatabaseCopy: Sendable, Equatable {
  /// The newest migration in it.
  public let schema: Int
  /// In bytes.
  public let size: Int64
}
