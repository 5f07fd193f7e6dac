import Foundation
import OnsideAPI
import OnsideCommerce

/// Consumables belong to one device at a time (QUE-22). The store says which; the app hears of a purchase only once the
/// store has said that it is this one, and only while an observer is there to hear it.
extension QueueMachine {
  /// Keeps a purchase from elsewhere, unseen by the app, until it may be delivered here.
  mutating func awaitClaim(_ purchase: QueueEntry, _ order: OrderMessage) -> [QueueEffect] {
    var entry = purchase
    entry.state = .purchasing
    entry.awaitsClaim = true
    book.put(entry)
    purchases[entry.id] = PurchaseMachine(country: entry.country, isCarriedOver: false, isPaid: true)
    return [.write([entry])] + drive(entry.id, .synced(order))
  }

  /// Puts off what nobody would be told of: until then another device may take it.
  mutating func postpone(_ id: UUID, _ purchase: PurchaseMachine) -> [QueueEffect] {
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
    return waiting.flatMap { drive($0, .turn(account.country)) }
  }

  /// What earlier launches and logins have left to be claimed.
  mutating func reopenClaims() {
    unclaimed = book.unclaimed
    for id in unclaimed {
      guard let entry = book[id] else { continue }
      purchases[id] = PurchaseMachine(country: entry.country, isCarriedOver: false, isPaid: true)
    }
  }

  /// Forgets a purchase that the app has never heard of.
  mutating func forgetUnclaimed(_ id: UUID) -> [QueueEffect] {
    endPurchase(id)
    unclaimed.removeAll { $0 == id }
    book.remove(id)
    return [.erase([id])]
  }
}
