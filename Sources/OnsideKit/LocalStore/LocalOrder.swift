import Foundation
import OnsideAPI
import OnsideCommerce

/// An order with the state that only the store knows. `OrderState` decides how it may change.
struct LocalOrder: Codable, Hashable, Sendable {
  let owner: AccountID
  var message: OrderMessage
  /// The offer that determined the price.
  var offer: AcceptedOffer?
  /// The offer that it names; nil for none, and for the introductory one that was not named.
  var offerID: String?
  /// The reason why the payment waits; nil when it does not.
  var waiting: Waiting?
  /// What went back of the price, because a higher plan has taken its place; nil for nothing.
  var givenBack: Money?
  /// The devices that have finished it, or a duplicate of it. Files of older versions have none.
  var finishedOn: Set<UUID>?

  enum Waiting: String, Codable, Sendable {
    /// Another person has to allow it (Ask to Buy).
    case approval
    /// An issue has to be resolved first (an interrupted purchase).
    case issue
  }
}

extension LocalOrder {
  /// Marks it as paid; returns whether it could still be paid. Nothing is charged here, so that a payment of a
  /// cancelled order leaves no money to give back.
  mutating func pay(at now: Date) -> Bool {
    guard changes(by: .paymentSucceeded, at: now) else { return false }
    waiting = nil
    message.paidAt = now
    return true
  }

  /// Makes the payment of an open order wait.
  mutating func setWaiting(for waiting: Waiting, at now: Date) {
    if changes(by: .paymentPending, at: now) { self.waiting = waiting }
  }

  /// Ends a payment that waits; the order is open again.
  mutating func decline(at now: Date) {
    if changes(by: .paymentDeclined, at: now) { waiting = nil }
  }

  /// Cancels an open order.
  mutating func cancel(because reason: CancelReason, at now: Date) {
    if changes(by: .cancelled, at: now) { message.cancelReason = reason }
  }

  /// Revokes a paid order; returns whether there was a purchase to revoke.
  mutating func refund(_ reason: RevocationReason, at now: Date) -> Bool { changes(by: .refunded(reason), at: now) }

  /// Makes it a duplicate of an order that the account owns: paid, and nothing is charged.
  mutating func become(duplicateOf owned: OrderMessage) {
    message.apply(.ownedAlready)
    message.paidAt = owned.paidAt
    message.duplicateOf = owned.id
    message.originalOrderID = owned.originalOrderID
    message.expiresAt = owned.expiresAt
    waiting = nil
  }

  /// Gives an event to the state machine, and takes its state over if the event changes the order.
  private mutating func changes(by event: OrderEvent, at now: Date) -> Bool {
    var state = OrderState(message)
    guard (try? state.handle(event, at: now)) == .changed else { return false }
    message.apply(state)
    return true
  }
}
