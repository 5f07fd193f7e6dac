/// The number of deliveries that wait, and of those that fail.
public struct OutboxStatus: Sendable {
  /// All that wait.
  public var waiting = 0
  /// Those of them that have failed so far.
  public var failing = 0
  /// Those that have failed for a day, by kind.
  public var failingForADay: [String: Int] = [:]
  /// The kinds of rows that this program does not deliver: another version has written them.
  public var unknownKinds: [String] = []
}
