import Foundation

/// The turns of payments: those of one product run one at a time, in the order in which they were added (QUE-11).
struct PaymentTurns: Sendable {
  private struct Turn {
    let id: UUID
    let product: String
  }

  /// The payment of each product that has had its turn last.
  private var current: [String: UUID] = [:]
  /// Payments that wait for their turn, oldest first.
  private var waiting: [Turn] = []

  mutating func append(_ entry: QueueEntry) {
    waiting.append(Turn(id: entry.id, product: entry.payment.product.productIdentifier))
  }

  /// Takes a payment out of those that wait.
  mutating func withdraw(_ id: UUID) { waiting.removeAll { $0.id == id } }

  /// Gives the turn to the oldest payment whose product has no busy payment; nil without one.
  mutating func next(isBusy: (UUID) -> Bool) -> UUID? {
    let index = waiting.firstIndex { turn in current[turn.product].map { !isBusy($0) } ?? true }
    guard let index else { return nil }
    let turn = waiting.remove(at: index)
    current[turn.product] = turn.id
    return turn.id
  }

  /// Removes a payment that has ended.
  mutating func end(_ id: UUID) {
    withdraw(id)
    current = current.filter { $0.value != id }
  }
}
