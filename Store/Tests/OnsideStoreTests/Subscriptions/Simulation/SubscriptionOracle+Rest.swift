import Foundation
import OnsideAPI
import OnsideCommerce
import StripeDouble

@testable import OnsideStore

/// What holds when nothing is under way.
extension SubscriptionOracle {
  mutating func lookAtRest() async throws {
    let paid = world.paid
    for fault in try await paid.store.bookFaults() { add("books: \(fault)") }
    for difference in try await PaymentReconciler(core: paid.core).differences(since: world.now - 900 * 86_400) {
      add(difference.description)
    }
    for row in try await world.core.dependencies.database.read({ try OutboxRecords().all(limit: 10, in: $0) }) {
      add("\(row.kind) \(row.payload) has failed \(row.attempts) times: \(row.error ?? "")")
    }
    let (booked, held) = (
      try await paid.store.balances()["provider:stripe", default: 0], world.stripe.balance["eur", default: 0]
    )
    if booked != held { add("the store has \(booked) at Stripe, Stripe \(held)") }
    var uses: [String: Int] = [:]
    for (index, account) in accounts.enumerated() where account.removedAt == nil {
      for order in try await world.orders(of: account.customer) {
        if order.offerID == "card", order.state.stage == .paid, order.duplicateOf == nil {
          uses[account.customer.account, default: 0] += 1
        }
        for fault in wrong(with: order) { add("buyer \(index + 1): \(order.id.lowercase) \(fault)") }
      }
    }
    if uses.values.contains(where: { $0 > 1 }) || uses.count > SimulatedPlans.codeLimit {
      add("the code was used \(uses.values.sorted()) times")
    }
  }

  private func wrong(with order: Order) -> [String] {
    let payments = world.stripe.payments.filter { $0.metadata["order"] == order.id.lowercase }
    let kept = payments.reduce(0) { $0 + $1.amount * Int64($1.successfulCharges) - $1.refunded - $1.disputed }
    let back = payments.reduce(0) { $0 + $1.refunded + $1.disputed }
    let stage = order.state.stage
    var faults: [String] = []
    if stage == .processing { faults.append("waits for ever") }
    if kept > order.price.minorUnits { faults.append("costs \(order.price.minorUnits) and has cost \(kept)") }
    if stage != .paid, kept > 0 { faults.append("is \(stage) and cost \(kept)") }
    if stage == .paid, order.duplicateOf == nil, order.state.revocation != nil, back == 0, !order.price.isZero {
      faults.append("was taken back, and no money came back")
    }
    if stage == .paid, order.duplicateOf == nil, order.isOwned(at: world.now), kept <= 0, !order.price.isZero,
      !payments.contains(where: \.isContested)
    {
      faults.append("is owned, and its money went back")
    }
    if stage == .paid || stage == .cancelled {
      faults += payments.filter { $0.status.hasPrefix("requires") }.map { "can still be paid with \($0.id)" }
    }
    faults += world.stripe.setups.filter { $0.metadata["order"] == order.id.lowercase }
      .filter { $0.status.hasPrefix("requires") }.map { "can still set a card up with \($0.id)" }
    return faults
  }
}
