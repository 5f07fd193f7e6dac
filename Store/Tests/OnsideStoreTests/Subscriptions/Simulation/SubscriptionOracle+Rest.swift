import Foundation
import OnsideAPI
import OnsideCommerce
import StripeDouble

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// What holds when nothing is under way.
extension SubscriptionOracle {
  mutating func lookAtRest() async throws {
    let paid = world.paid
    for fault in try await paid.store.bookFaults() { add("books: \(fault)") }
    for difference in try await paid.core.paymentReconciler.differences(since: world.now - 900 * 86_400) {
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
      for fault in try await eventFaults(of: account.customer) { add("buyer \(index + 1) \(fault)") }
      let orders = try await world.orders(of: account.customer)
      for order in orders {
        if order.offerID == "card", order.state.stage == .paid, order.duplicateOf == nil {
          uses[account.customer.account, default: 0] += 1
        }
        for fault in try await wrong(with: order) + wrongGrant(order, among: orders) {
          add("buyer \(index + 1): \(order.id.lowercase) \(fault)")
        }
      }
    }
    if uses.values.contains(where: { $0 > 1 }) || uses.count > SimulatedPlans.codeLimit {
      add("the code was used \(uses.values.sorted()) times")
    }
  }

  /// An order is revoked for money that went back, or a grant replaces it; a grant has a cause, and its money is there.
  private func wrongGrant(_ order: Order, among orders: [Order]) async throws -> [String] {
    guard order.state.stage == .paid, order.duplicateOf == nil else { return [] }
    if order.reason == .grant {
      let payments = order.reinstates.map(payments) ?? []
      let kept = payments.reduce(0) { $0 + $1.amount * Int64($1.successfulCharges) - $1.refunded - $1.disputed }
      if order.cause == nil { return ["is a grant without a cause"] }
      return kept <= 0 && order.isOwned(at: world.now) && !payments.contains(where: \.isContested)
        ? ["is a grant for money that went back"] : []
    }
    let back = payments(order.id).reduce(0) { $0 + $1.refunded + $1.disputed }
    guard let revocation = order.state.revocation, back == 0, !order.price.isZero,
      !orders.contains(where: { $0.reinstates == order.id && $0.state.isEntitled })
    else { return [] }
    let (refunds, disputes) = try await world.core.dependencies.database.read {
      (try RefundRecords.refunds(of: order.id, in: $0), try DisputeRecords.disputes(of: order.id, in: $0))
    }
    let failures = refunds.filter { $0.state == .failed && !$0.isSurplus }.compactMap(\.endedAt)
    // Nothing is granted after the order's end, and beside what was bought since.
    let decided = failures.max().map { max($0, disputes.compactMap(\.closedAt).max() ?? $0) }
    let isOver = decided.map { decided in
      order.expiresAt.map { $0 <= decided } ?? false
        || orders.contains { ($0.paidAt ?? .distantPast) > revocation.date && $0.createdAt <= decided }
    }
    return isOver == true ? [] : ["was taken back, and no money came back"]
  }

  private func payments(_ order: UUID) -> [StripeServerDouble.PaymentRecord] {
    world.stripe.payments.filter { $0.metadata["order"] == order.lowercase }
  }

  private func wrong(with order: Order) -> [String] {
    let payments = payments(order.id)
    let kept = payments.reduce(0) { $0 + $1.amount * Int64($1.successfulCharges) - $1.refunded - $1.disputed }
    let stage = order.state.stage
    var faults: [String] = []
    if stage == .processing { faults.append("waits for ever") }
    if kept > order.price.minorUnits { faults.append("costs \(order.price.minorUnits) and has cost \(kept)") }
    if stage != .paid, kept > 0 { faults.append("is \(stage) and cost \(kept)") }
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
