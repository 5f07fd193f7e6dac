/// What a page may ask of the bridge at most.
public struct BridgeLimits: Sendable, Hashable {
  /// The bytes of one message from a page, in UTF-8. A larger one is refused with `brokenRequest`.
  public var messageBytes = 16 << 20
  /// The calls of one page that are not answered. Further ones are refused with `brokenRequest`.
  public var callsInFlight = 50_000
  /// The maximum number of events that wait for a page, counted in transactions. The oldest above it are dropped:
  /// `getTransactions()` returns all unfinished transactions. Revocations do not count, and are not dropped.
  public var eventsHeld = 10_000
  /// How long a page may be silent while it has a gate to answer, in seconds; then the answer is no. A page that
  /// answers the heartbeats in between may take as long as it likes: a person may be looking at its dialog.
  public var gateDeadline = 60.0
  /// How long a call may take that waits for the network only, in seconds; then it ends with `deadlineExceeded`.
  public var callDeadline = 60.0

  /// The usual limits.
  public init() {}
}
