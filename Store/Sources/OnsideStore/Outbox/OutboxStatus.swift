/// How many deliveries wait, fail, and are set aside.
public struct OutboxStatus: Sendable {
  /// All that wait, without those that are set aside.
  public var waiting = 0
  /// Those of them that have failed so far.
  public var failing = 0
  /// Those that have failed for a day and are tried no more.
  public var setAside = 0
  /// The kinds of rows that this program does not deliver: another version has written them.
  public var unknownKinds: [String] = []
}
