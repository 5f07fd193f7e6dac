/// The promises P1 to P5 of the reliability guide, and P6 of subscriptions.
public enum Promise: String, Sendable {
  /// A paid order is never lost.
  case p1 = "P1"
  /// A user is not charged twice for one purchase.
  case p2 = "P2"
  /// A purchase is delivered at least once, with a distinct id, and never again after it was finished.
  case p3 = "P3"
  /// Every call and every payment ends exactly once.
  case p4 = "P4"
  /// The ledger adds up to nothing at every commit, and agrees with the provider.
  case p5 = "P5"
  /// What is paid can be used, and nothing else, beyond what the rules of subscriptions give.
  case p6 = "P6"
}

/// A promise that did not hold.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
  /// The promise.
  public let promise: Promise
  /// What happened.
  public let text: String
  /// The promise and what happened.
  public var description: String { "\(promise.rawValue): \(text)" }
}
