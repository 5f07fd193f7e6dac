/// The faults of a forwarding that a receiver of events has to survive.
package struct ForwardFaults: Sendable, Hashable {
  /// True if each event is sent two times.
  package var isTwice: Bool
  /// The number of consecutive events whose deliveries are shuffled; 1 keeps their order.
  package var window: Int
  /// The share of the events that are not sent, 0 to 1.
  package var droppedShare: Double

  package init(isTwice: Bool = false, window: Int = 1, droppedShare: Double = 0) {
    self.isTwice = isTwice
    self.window = window
    self.droppedShare = droppedShare
  }
}

/// One planned delivery of an event.
package struct ForwardDelivery<Event: Sendable & Hashable>: Sendable, Hashable {
  package let event: Event
  /// 1, and 2 for the repetition.
  package let copy: Int
  /// True for an event that is not sent.
  package let isDropped: Bool
}

/// The deliveries of events, with faults at random: pure. The same faults, seed and events give the same deliveries.
package struct ForwardPlan: Sendable {
  private let faults: ForwardFaults
  private var generator: SeededGenerator

  package init(_ faults: ForwardFaults, seed: UInt64) {
    self.faults = faults
    generator = SeededGenerator(seed: seed)
  }

  /// Returns the deliveries of the next events, in the order in which they are sent. An event moves by less than the
  /// window; a dropped one has one delivery.
  package mutating func deliveries<Event: Sendable & Hashable>(of events: [Event]) -> [ForwardDelivery<Event>] {
    let window = max(1, faults.window)
    var planned: [ForwardDelivery<Event>] = []
    for start in stride(from: 0, to: events.count, by: window) {
      var part: [ForwardDelivery<Event>] = []
      for event in events[start..<min(start + window, events.count)] { part += copies(of: event) }
      if window > 1 { part.shuffle(using: &generator) }
      planned += part
    }
    return planned
  }

  private mutating func copies<Event: Sendable & Hashable>(of event: Event) -> [ForwardDelivery<Event>] {
    if faults.droppedShare > 0, Double.random(in: 0..<1, using: &generator) < faults.droppedShare {
      return [ForwardDelivery(event: event, copy: 1, isDropped: true)]
    }
    return (1...(faults.isTwice ? 2 : 1)).map { ForwardDelivery(event: event, copy: $0, isDropped: false) }
  }
}

/// A generator that a seed repeats: SplitMix64.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
