import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The prices of present subscribers: announcements for the next renewal and questions, the answers of accounts, and
/// the deferral of prices without a message.
struct SubscriptionPrices: Sendable {
  let orders: OrderRecords
  let random: any RandomSource
  let messages: SubscriberMessageWriter

  /// Announces the newest price for present subscribers for the next renewal. Does nothing if the present price is
  /// newer, or the account has answered.
  func announceNewest(to known: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let plan = known.machine.period?.plan, let start = known.machine.nextPeriodStart,
      let order = try orders.order(known.lastOrder, in: transaction),
      let price = try RenewalPriceRecords.newest(
        of: plan.productID, app: known.key.app, country: order.country, validAt: start, in: transaction)
    else { return }
    let outcome = try outcome(of: price, for: known, in: transaction)
    guard outcome.isAnnounced else { return }
    let changes = try PriceChangeRecords.changes(of: known.key, in: transaction)
    guard !changes.hasAnswer(to: price),
      try !hasNewerPrice(than: price, changes.filter { $0.product == plan.productID }, in: transaction),
      try isAgreed(plan, before: price, of: known, in: transaction)
    else { return }
    try announce(price, needsConsent: outcome == .asked, to: &known, in: transaction)
  }

  /// A Boolean value that indicates whether the present price is one for present subscribers that was set later.
  private func hasNewerPrice(
    than price: RenewalPrice, _ changes: [PriceChange], in connection: any SQLConnection
  ) throws -> Bool {
    guard let last = changes.last(where: { $0.answer != .deferred && $0.answer != .superseded }) else { return false }
    let row = try last.renewalPrice.flatMap { try RenewalPriceRecords.price($0, in: connection) }
    return (row?.createdAt ?? last.askedAt) > price.createdAt
  }

  /// A Boolean value that indicates whether the purchase or choice with the present price is older than a price for
  /// present subscribers.
  private func isAgreed(
    _ plan: SubscriptionPlan, before price: RenewalPrice, of known: StoredSubscription, in transaction: StoreTransaction
  ) throws -> Bool {
    var first: Order?
    for (_, id) in try SubscriptionRecords.orders(of: known.key, in: transaction).reversed() {
      // The last order may be about to be written as paid.
      guard let order = try orders.order(id, in: transaction), order.paidAt != nil || id == known.lastOrder
      else { continue }
      // Another plan, another region, or an offer that a purchase has replaced.
      guard order.product.message.id == plan.productID, order.country == (first ?? order).country,
        first?.isRenewal != false || order.offerID == nil
      else { break }
      if let paidAt = order.paidAt, paidAt <= price.createdAt { return true }
      first = order
      if order.offerID != nil || id == known.firstOrder { break }
    }
    guard let first, first.isRenewal else { return false }
    let paidAt = first.paidAt ?? transaction.now
    let consents = try SubscriptionConsentRecords.all(of: known.key, in: transaction).reversed()
      .drop { $0.product != plan.productID || $0.givenAt > paidAt }
    // The next consent to the same terms is to another payment method.
    guard let last = consents.first else { return false }
    return consents.prefix { $0.orderedProduct == last.orderedProduct }.contains { $0.givenAt <= price.createdAt }
  }

  /// Returns the effect of a price on a subscription.
  func outcome(
    of price: RenewalPrice, for known: StoredSubscription, in transaction: StoreTransaction
  ) throws -> PriceChangeReport.Outcome {
    let since = transaction.now - Double(price.terms.rules.days) * 86_400
    let hasRisen = try PriceChangeRecords.changes(of: known.key, in: transaction).hasRise(after: since)
    return known.machine.outcome(
      of: price, at: transaction.now, isFirstRise: !hasRisen,
      isAccountsMethod: try known.hasAccountsMethod(in: transaction))
  }

  /// Withdraws an announced price that is higher than the newest one, which applies to a later renewal only. The next
  /// renewal has the present price.
  func withdrawHigher(
    than price: RenewalPrice, from known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    let machine = known.machine
    guard let pending = machine.pendingPrice, pending.currency == price.price.currency,
      pending.minorUnits > price.price.minorUnits, !machine.isBeingRenewed,
      machine.hasShortestNotice(at: transaction.now)
    else { return }
    try known.withdrawPendingPrice(recording: .superseded, in: transaction)
  }

  /// Announces a price for the next renewal, and asks for a consent that it needs. The caller writes the subscription.
  func announce(
    _ price: RenewalPrice, needsConsent: Bool, to known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    guard let period = known.machine.period else { return }
    for change in try PriceChangeRecords.changes(of: known.key, in: transaction)
    where change.isOpen(at: transaction.now, after: period) {
      try PriceChangeRecords.answer(change.id, .superseded, in: transaction)
    }
    let change = PriceChange(
      id: random.uuid7(at: transaction.now).lowercase, product: period.plan.productID, old: period.plan.price,
      new: price.price, needsConsent: needsConsent, askedAt: transaction.now,
      appliesAt: known.machine.nextPeriodStart ?? period.end, renewalPrice: price.id)
    try PriceChangeRecords.insert(change, of: known.key, in: transaction)
    let event = SubscriptionEvent.priceChanged(
      to: change.new, needsConsent: needsConsent, keepsPrice: price.terms.keepsPriceWithoutConsent)
    _ = known.machine.handle(event, at: transaction.now)
    try messages.write(change, of: &known, in: transaction)
  }
}

extension [PriceChange] {
  /// A Boolean value that indicates whether the newest change by a price has an answer, or its question has ended
  /// without one. A deferred one is announced again.
  fileprivate func hasAnswer(to price: RenewalPrice) -> Bool {
    let answers: [PriceChange.Answer?] = [.accepted, .declined, .unanswered]
    return last { $0.renewalPrice == price.id }.map { answers.contains($0.answer) } ?? false
  }
}
