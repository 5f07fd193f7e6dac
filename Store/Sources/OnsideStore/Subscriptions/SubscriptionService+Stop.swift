public import Foundation
public import OnsideCommerce

/// What becomes of a subscription that its operator stops.
public enum StopOutcome: Sendable, Hashable {
  /// It ends with what is paid, at that moment.
  case endsWithPeriod(Date)
  /// It is over: nothing of it was paid any more, or what was paid goes back.
  case over
  /// The provider has not answered to the charge of the next period: should it be paid, that period is the last one.
  case lastChargeIsOpen
}

/// Subscriptions that their operator stops.
extension SubscriptionService {
  /// Switches the renewal off, as its account does on the page of the subscription: what is paid stays to its end, and
  /// what is not paid is over at once. Nil when the account has never subscribed in the group.
  public func stop(_ key: SubscriptionKey) async throws -> StopOutcome? {
    _ = try await setAutoRenew(false, of: key)
    return try await standing(of: key)
  }

  /// Stops a subscription, and takes away at once the period that runs: what is left of its price goes back, as with a
  /// refund of the whole order. A trial gives nothing back. Nil when the account has never subscribed in the
  /// group; a subscription that is over stays so.
  ///
  /// - Throws: `RefundError.disputed` when a bank holds the money: then nothing is changed.
  public func stopAtOnce(
    _ key: SubscriptionKey, because reason: RevocationReason
  ) async throws -> StopOutcome? {
    let now = dependencies.clock.now()
    let id = dependencies.random.uuid7(at: now).lowercase
    _ = try await change(key) { service, transaction in
      let settlement = service.settlement
      guard var known = try SubscriptionRecords.subscription(key, in: transaction), known.machine.isSubscribed
      else { return false }
      if var order = try settlement.runningOrder(of: known, in: transaction) {
        if var original = try order.reinstates.flatMap({ try settlement.orders.order($0, in: transaction) }) {
          // A refund of the replaced order revokes its grant.
          _ = try settlement.askRefund(id, of: &original, amount: nil, because: reason, in: transaction)
          if try !GrantRecords.isReinstated(original.id, in: transaction) { return true }
        }
        _ = try settlement.askRefund(id, of: &order, amount: nil, because: reason, in: transaction)
        if order.state.revocation != nil { return true }
      }
      let effects = known.machine.handle(.autoRenewSwitched(on: false), at: transaction.now)
      try settlement.carryOut(effects, of: &known, in: transaction)
      return true
    }
    return try await standing(of: key)
  }

  private func standing(of key: SubscriptionKey) async throws -> StopOutcome? {
    try await dependencies.read(for: key.account) { transaction in
      guard let machine = try SubscriptionRecords.subscription(key, in: transaction)?.machine.asOf(transaction.now),
        let period = machine.period
      else { return nil }
      guard machine.isSubscribed else { return .over }
      return machine.openCharge == nil ? .endsWithPeriod(period.end) : .lastChargeIsOpen
    }
  }
}

extension PaymentSettlement {
  /// The order of the period that runs; nil while nothing that is paid does. With the next period paid already, the
  /// present one: what takes it back takes back the other one, too.
  fileprivate func runningOrder(
    of known: StoredSubscription, in transaction: StoreTransaction
  ) throws -> Order? {
    let running = known.machine.runningPeriods.first { transaction.now < $0.end }
    return try running.flatMap { try paidOrder(ofPeriod: $0.number, in: known.key, connection: transaction) }
  }
}
