/// One commit of a database: what an operator wants to know of it.
public struct CommitReport: Sendable, Hashable {
  /// How many writes shared the commit.
  public var writes: Int
  /// How long it took, from the first write's statement until all of them were on the disk.
  public var duration: Duration
  /// Whether it succeeded. A write that failed and was rolled back to its savepoint makes no failed commit.
  public var isCommitted: Bool

  /// A report.
  public init(writes: Int, duration: Duration, isCommitted: Bool) {
    self.writes = writes
    self.duration = duration
    self.isCommitted = isCommitted
  }
}

/// How much room a database takes, in bytes.
public struct DatabaseSizes: Sendable, Hashable {
  /// The data.
  public var data: Int64
  /// The files of the log. SQLite reuses a log that it has copied: it shrinks when it is truncated.
  public var log: Int64

  /// Sizes.
  public init(data: Int64, log: Int64) {
    self.data = data
    self.log = log
  }
}
