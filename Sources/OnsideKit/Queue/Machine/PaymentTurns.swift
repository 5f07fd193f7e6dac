import Foundation

/// Which payment's turn it is, and which ones wait for theirs.
struct PaymentTurns: Sendable {
  /// The payment whose turn it is.
  private(set) var current: UUID?
  /// Payments that wait for their turn, oldest first.
  private var waiting: [UUID] = []

  mutating func append(_ id: UUID) { waiting.append(id) }

  mutating func replaceWaiting(with ids: [UUID]) { waiting = ids }

  /// Takes a payment out of those that wait.
  mutating func withdraw(_ id: UUID) { waiting.removeAll { $0 == id } }

  /// Gives the turn to the payment that has waited longest; nil when none waits.
  mutating func next() -> UUID? {
    guard !waiting.isEmpty else { return nil }
    current = waiting.removeFirst()
    return current
  }

  /// A payment has ended: it neither waits nor has the turn.
  mutating func end(_ id: UUID) {
    withdraw(id)
    if current == id { current = nil }
  }
}
