import Foundation
import OnsideAPI
public import OnsideCommerce

/// What a change of price means for present subscribers, counted by region and prices.
public struct PriceChangeReport: Sendable {
  /// What becomes of a subscription.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// It costs less from the next renewal on.
    case lower
    /// It costs more from the next renewal on, without consent.
    case higher
    /// Its account is asked; without an answer it ends.
    case asked
    /// It has this price already, or is to have it.
    case unchanged
    /// The old price is charged next: its next period is unpaid, begins within a day or follows an offer, or the price
    /// is higher and its method not the account's own. Run the command again later.
    case later
    /// Another plan was chosen for the next renewal, at a price of its own.
    case otherPlan = "other plan"
    /// The product is not sold in its region, or in another currency: the old price stays.
    case notSold = "not sold"
  }

  /// Some subscriptions with one outcome.
  public struct Group: Sendable, Hashable {
    /// The region of the prices.
    public let country: CountryCode
    /// What the next renewal would cost without the change.
    public let old: Money
    /// The catalogue's price; nil where the product is not sold.
    public let new: Money?
    /// What becomes of them.
    public let outcome: Outcome
  }

  /// How many subscriptions there are of each kind.
  public internal(set) var counts: [Group: Int] = [:]
}

/// Changes of price for present subscribers.
extension SubscriptionService {
  /// How many subscriptions one write deals with.
  private static let batch = 50

  /// Lets the catalogue's price of a product apply to present subscriptions from their next renewal on, and asks those
  /// accounts whose consent it needs.
  ///
  /// - Parameters:
  ///   - country: only subscriptions with prices of this region; nil for all.
  ///   - isDryRun: whether nothing is changed.
  /// - Returns: what became of the subscriptions to the product.
  public func reprice(
    _ product: String, of app: String, in country: CountryCode? = nil, by rules: PriceRiseRules = .standard,
    isDryRun: Bool = false
  ) async throws -> PriceChangeReport {
    var report = PriceChangeReport()
    var last: SubscriptionKey?
    while true {
      let after = last
      let keys = try await dependencies.database.read {
        try SubscriptionRecords.keys(of: app, after: after, limit: Self.batch, in: $0)
      }
      // Of the catalogue as it is now: another process may have imported a new one since this one has read it.
      let groups = try await quotes.write(at: dependencies.clock.now()) { [self] transaction in
        try keys.compactMap { key in
          try reprice(key, product: product, in: country, by: rules, isDryRun: isDryRun, transaction: transaction)
        }
      }
      for group in groups { report.counts[group, default: 0] += 1 }
      guard keys.count == Self.batch else { return report }
      last = keys.last
    }
  }

  private func reprice(
    _ key: SubscriptionKey, product: String, in country: CountryCode?, by rules: PriceRiseRules, isDryRun: Bool,
    transaction: StoreTransaction
  ) throws -> PriceChangeReport.Group? {
    let transaction = try transaction.at(timeOf: key.account, in: settlement.environment)
    guard var known = try SubscriptionRecords.subscription(key, in: transaction), known.machine.isSubscribed,
      let period = known.machine.period, period.plan.productID == product,
      let order = try settlement.orders.order(known.lastOrder, in: transaction),
      country == nil || order.country == country
    else { return nil }
    let changes = try PriceChangeRecords.changes(of: key, in: transaction)
    let since = transaction.now - Double(rules.days) * 86_400
    let new = catalogue.catalogue(of: key.app)[product]?.price(in: order.country)
    let present = known.machine.pendingPrice ?? period.plan.price
    let isAccounts = try settlement.isAccountsMethod(of: known, in: transaction)
    let outcome = known.machine.outcome(of: new, at: transaction.now, isAccountsMethod: isAccounts) { new in
      rules.needsConsent(
        from: period.plan.price, to: new, period: period.plan.period, isFirst: !changes.hasRise(after: since))
    }
    if !isDryRun, outcome == .unchanged, let last = changes.last, last.answer == .deferred, last.new != new {
      try PriceChangeRecords.answer(last.id, .superseded, in: transaction)
    }
    if !isDryRun, let new, outcome == .lower || outcome == .higher || outcome == .asked {
      for change in changes where change.isOpen(at: transaction.now, after: period) {
        try PriceChangeRecords.answer(change.id, .superseded, in: transaction)
      }
      let change = PriceChange(
        id: dependencies.random.uuid7(at: transaction.now).lowercase, product: product, old: period.plan.price,
        new: new, needsConsent: outcome == .asked, askedAt: transaction.now,
        appliesAt: known.machine.nextPeriodStart ?? period.end)
      try PriceChangeRecords.insert(change, of: key, in: transaction)
      let event = SubscriptionEvent.priceChanged(to: new, needsConsent: outcome == .asked)
      let effects = known.machine.handle(event, at: transaction.now)
      try settlement.tell(change, of: &known, in: transaction)
      try settlement.carryOut(effects, of: &known, in: transaction)
    }
    return PriceChangeReport.Group(country: order.country, old: present, new: new, outcome: outcome)
  }

  /// Answers to a price that needs consent; false when there is no such question any more, and for an agreement to
  /// charges of another person's method.
  ///
  /// - Parameter shownPrice: the price that the account saw; another one is another question.
  func answerPrice(accepts: Bool, shownPrice: Money?, of key: SubscriptionKey) async throws -> Bool {
    try await change(key) { service, transaction in
      // What is over by now is not agreed to any more.
      try service.settlement.passTime(of: key, in: transaction)
      guard var known = try SubscriptionRecords.subscription(key, in: transaction), known.machine.awaitsConsent,
        known.machine.pendingPrice == shownPrice,
        try !accepts || service.settlement.mayAgree(to: known.machine.plannedPlan, of: known, in: transaction)
      else { return false }
      let effects = try service.settlement.answer(accepts: accepts, of: &known, in: transaction)
      if accepts { try service.settlement.recordConsent(of: &known, in: transaction) }
      try service.settlement.carryOut(effects, of: &known, in: transaction)
      return true
    }
  }
}

extension PaymentSettlement {
  /// Answers to a price for an account, and keeps the answer as evidence.
  func answer(
    accepts: Bool, of known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect] {
    // Who agrees to a price that needs no consent has seen it.
    if let asked = try pendingChange(of: known, in: transaction), asked.needsConsent || accepts {
      try record(accepts ? .accepted : .declined, to: asked, of: known.key, in: transaction)
    }
    let before = known.machine
    let effects = known.machine.handle(.priceAnswered(accepted: accepts), at: transaction.now)
    try movePriceDate(of: known, ifPauseEndedSince: before, in: transaction)
    return effects
  }

  /// Records an answer. One that was given before stays as it is: who answers otherwise was asked once more.
  private func record(
    _ answer: PriceChange.Answer, to asked: PriceChange, of key: SubscriptionKey, in transaction: StoreTransaction
  ) throws {
    guard asked.answer != answer else { return }
    let open = try asked.answer == nil ? asked : insertAgain(asked, of: key, in: transaction)
    try PriceChangeRecords.answer(open.id, answer, in: transaction)
  }

  /// Writes that an account is asked once more about a price.
  private func insertAgain(
    _ asked: PriceChange, of key: SubscriptionKey, in transaction: StoreTransaction
  ) throws -> PriceChange {
    let question = PriceChange(
      id: random.uuid7(at: transaction.now).lowercase, product: asked.product, old: asked.old, new: asked.new,
      needsConsent: true, askedAt: max(transaction.now, asked.askedAt + 0.001), appliesAt: asked.appliesAt)
    try PriceChangeRecords.insert(question, of: key, in: transaction)
    return question
  }

  /// The last word about the price that a subscription's next renewals are to have; nil without such a price.
  func pendingChange(
    of known: StoredSubscription, in connection: any SQLConnection
  ) throws -> PriceChange? {
    guard let price = known.machine.pendingPrice, let product = known.machine.period?.plan.productID else { return nil }
    return try PriceChangeRecords.changes(of: known.key, in: connection).last {
      $0.new == price && $0.product == product && $0.answer != .superseded && $0.answer != .deferred
    }
  }

  /// Moves the date from which a price is charged, because a pause has come, gone or ended early.
  func movePriceDate(of known: StoredSubscription, to date: Date?, in transaction: StoreTransaction) throws {
    guard let date, let change = try pendingChange(of: known, in: transaction) else { return }
    try PriceChangeRecords.setDate(date, of: change.id, in: transaction)
  }

  /// Moves the date of a price to the end of the period, when a planned pause was taken back by something else.
  func movePriceDate(
    of known: StoredSubscription, ifPauseEndedSince before: SubscriptionMachine, in transaction: StoreTransaction
  ) throws {
    guard before.plannedPauseEnd != nil, known.machine.plannedPauseEnd == nil else { return }
    try movePriceDate(of: known, to: known.machine.period?.end, in: transaction)
  }

  /// Asks once more about a price that was declined, when the subscription is to go on after all.
  func askAgain(_ known: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let asked = try pendingChange(of: known, in: transaction), asked.answer == .declined else { return }
    _ = try insertAgain(asked, of: known.key, in: transaction)
    _ = known.machine.handle(.priceChanged(to: asked.new, needsConsent: true), at: transaction.now)
  }

  /// Agrees to a price that an account saw beside the button that it pressed, when that is the one it was asked about.
  func agree(
    to shownPrice: Money?, of known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect] {
    guard let shownPrice, shownPrice == known.machine.pendingPrice else { return [] }
    return try answer(accepts: true, of: &known, in: transaction)
  }
}

extension SubscriptionMachine {
  /// Whether the next period begins in less than a day, or than half of a shorter period: too soon for another price.
  private func isRenewedSoon(at now: Date) -> Bool {
    guard let period, let next = nextPeriodStart else { return false }
    return next < now + min(86_400, period.end.timeIntervalSince(period.start) / 2)
  }

  /// What a product's price means for the subscription.
  fileprivate func outcome(
    of new: Money?, at now: Date, isAccountsMethod: Bool, needsConsent: (Money) -> Bool
  ) -> PriceChangeReport.Outcome {
    guard nextPlan == nil else { return .otherPlan }
    guard let present = period?.plan.price, let new, new.currency == present.currency else { return .notSold }
    if new == pendingPrice ?? present { return .unchanged }
    // After an offer the price on its page is charged.
    guard !isBeingRenewed, !isRenewedSoon(at: now), period?.offer == nil else { return .later }
    if needsConsent(new) { return .asked }
    guard new.minorUnits > present.minorUnits else { return .lower }
    // A message reaches the account, and not the person whose card pays.
    return isAccountsMethod ? .higher : .later
  }
}
