/// Tells the other processes of one database whose polls have something to read, within milliseconds. A wake may be
/// lost with its connection: the truth is in the database, where ``ExternalChanges`` looks each second.
public protocol WakeRelay: Sendable {
  /// Tells the other processes that data of an account has changed; returns at once. To be called after the commit.
  func tell(account: String)

  /// Passes on what other processes tell from now on, and nothing that this process tells itself. The latest observer
  /// counts; it has to be quick.
  func listen(_ observer: @escaping @Sendable (RelayedWake) -> Void)
}

/// What another process has told.
public enum RelayedWake: Sendable, Equatable {
  /// Data of these accounts has changed.
  case accounts([String])
  /// Data of many accounts has changed, or wakes may have been lost.
  case all
}
