public import Foundation

/// How many installations went through a series of events, in this order, within a time from the first (EVT-3).
///
/// Of several tries of an installation the one with the most steps counts, and of equal ones the earliest. The type is
/// pure: its input is events in the order of installation and time, its output is counts.
public struct Funnel: Sendable, Hashable {
  /// The names of the events, in lower case, in order.
  public let steps: [String]
  /// How long a try may take from its first event to any later one, in seconds.
  public let window: TimeInterval

  /// A funnel of at least one step.
  public init(steps: [String], window: TimeInterval) {
    self.steps = steps.map { $0.lowercased() }
    self.window = window
  }

  /// An event, in the fields that a funnel uses.
  public struct Event: Sendable, Hashable {
    /// Its name, in lower case.
    public var name: String
    /// When it happened.
    public var at: Date
    /// The country, if it is known.
    public var country: String?

    /// An event.
    public init(name: String, at: Date, country: String? = nil) {
      self.name = name
      self.at = at
      self.country = country
    }
  }

  /// How far an installation got.
  public struct Path: Sendable, Hashable {
    /// The number of steps reached.
    public var depth: Int
    /// The first event of the try.
    public var start: Event
  }

  /// How far an installation got with its events, which are in the order of time; nil when it did not start.
  ///
  /// For each depth only the try with the latest start is kept: whatever another one can still reach, it can, too.
  public func path(_ events: some Sequence<Event>) -> Path? {
    var starts = [Event?](repeating: nil, count: steps.count)
    var best: Path?
    for event in events {
      // From the end, so that one event is not two steps.
      for depth in steps.indices.reversed() where steps[depth] == event.name {
        let start = depth == 0 ? event : starts[depth - 1]
        guard let start, event.at.timeIntervalSince(start.at) <= window else { continue }
        starts[depth] = start
        if depth + 1 > best?.depth ?? 0 { best = Path(depth: depth + 1, start: start) }
      }
    }
    return best
  }
}
