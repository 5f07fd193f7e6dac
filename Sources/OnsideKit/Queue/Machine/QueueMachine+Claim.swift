import Foundation
import OnsideAPI
import OnsideCommerce

/// Claims of consumables: the store permits one device at a time to deliver (QUE-22). The app is given a purchase only
/// once the store has granted the claim to this device, and only while there is an observer. A purchase that an earlier
/// launch was given is claimed again, since another device may have delivered it meanwhile; it is given at once if the
/// store cannot be reached.
extension QueueMachine {
  /// Keeps a purchase from elsewhere, unseen by the app, until it may be delivered here.
  mutating func awaitClaim(_ purchase: QueueEntry, for order: OrderMessage) -> [QueueEffect] {
    var entry = purchase
    entry.state = .purchasing
    entry.awaitsClaim = true
    book.put(entry)
    purchases[entry.id] = PurchaseMachine(country: entry.country, isCarriedOver: false, isPaid: true)
    return [.disk(.write([entry]))] + drive(entry.id, with: .synced(order))
  }

  /// Postpones the claim of a purchase while there is no observer: until then another device may claim it.
  mutating func postpone(_ id: UUID, in purchase: PurchaseMachine) -> [QueueEffect] {
    endPurchase(id)
    var purchase = purchase
    purchase.waitToClaim()
    purchases[id] = purchase
    unclaimed.append(id)
    return []
  }

  mutating func startClaims() -> [QueueEffect] {
    guard let account, hasObserver, isLoaded, !unclaimed.isEmpty else { return [] }
    let waiting = unclaimed
    unclaimed = []
    return waiting.flatMap { drive($0, with: .turn(account.country)) }
  }

  /// Queues the claims that earlier launches and logins have left, and those of consumables that are not finished.
  mutating func reopenClaims() {
    book.awaitClaims()
    unclaimed = book.unclaimed
    for entry in unclaimed.compactMap({ book[$0] }) {
      purchases[entry.id] = PurchaseMachine(
        country: entry.country, isCarriedOver: entry.state == .purchased, isPaid: true)
    }
  }

  /// Forgets a purchase that the app was never given.
  mutating func forgetUnclaimed(_ id: UUID) -> [QueueEffect] {
    endPurchase(id)
    unclaimed.removeAll { $0 == id }
    book.remove(id)
    return [.disk(.erase([id]))]
  }
}
