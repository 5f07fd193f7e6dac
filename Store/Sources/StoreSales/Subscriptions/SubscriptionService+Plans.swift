import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// A plan of a subscription's group that is offered to its subscriber.
struct OfferedPlan: Sendable {
  let product: ProductMessage
  let start: SubscriptionMachine.PlanStart
  /// The plan that it would replace at once.
  let replaces: PlanReplacement?
}

/// The outcome of the choice of a plan.
enum PlanChoice: Sendable, Hashable {
  /// The plan starts at once: it has to be bought.
  case bought
  /// The plan starts with the next renewal.
  case planned
  /// The present plan continues.
  case kept
  /// The subscription's method is another person's: the account has to choose one of its own first.
  case needsMethod
  /// The plan is not sold, or its price differs from the shown one.
  case repriced
  /// The next period is being paid, or there is no such subscription. Nothing changes.
  case refused
}

/// Changes of plan by subscribers.
extension SubscriptionService {
  /// Returns the plans of a subscription's group that its account can choose or buy, at their prices for it, without
  /// the plan that renews. While the renewal is unpaid, its own plan is paid on the order's page, and all others can be
  /// bought.
  func plans(
    beside current: CurrentSubscription, for account: Account, language: String
  ) async throws -> [OfferedPlan] {
    let (key, machine) = (current.subscription.key, current.subscription.machine)
    guard machine.stage == .active || machine.isUnpaid && current.unpaidOrder != nil, let present = machine.period?.plan
    else { return [] }
    let renewed = machine.stage == .active ? present : machine.nextPlan ?? present
    let sold = catalogue.catalogue(of: key.app).products.filter {
      $0.subscription?.groupID == key.group && $0.id != renewed.productID
    }
    let offered = try sold.compactMap { product in
      try quotes.quote(product.id, quantity: 1, country: account.country, language: language, of: key.app)?.product
        .message
    }
    return try await dependencies.read(for: key.account) { [unusedTime] transaction in
      try offered.compactMap { product in
        guard let plan = product.plan(at: product.price.money),
          current.subscription.canRenew || machine.start(of: plan) == .atOnce
        else { return nil }
        return OfferedPlan(
          product: product, start: machine.start(of: plan),
          replaces: try unusedTime.replacement(
            by: plan, in: key, at: transaction.now, connection: transaction))
      }
    }
  }

  /// Chooses a plan of a subscription's group. A plan that starts at once has to be bought, and so has each plan while
  /// the renewal is unpaid. Any other plan starts with the next renewal, at the shown price. Choosing the present plan
  /// cancels the choice until the end of the period.
  ///
  /// - Parameter shownPrice: the price beside the button. Nothing changes if the present price differs.
  func choosePlan(
    _ product: String, shownPrice: Money?, language: String, of key: SubscriptionKey
  ) async throws -> PlanChoice {
    let choice = try await quotes.write(at: dependencies.clock.now()) { [self] transaction -> PlanChoice in
      let transaction = try transaction.at(timeOf: key.account, in: dependencies.environment)
      guard var known = try changeable(key, in: transaction) else { return .refused }
      if let present = known.machine.period?.plan, known.machine.start(of: present) == .alreadyThere,
        present.productID == product
      {
        _ = known.machine.handle(.planChosen(present), at: transaction.now)
        guard try known.mayAgree(to: known.machine.plannedPlan, in: transaction) else {
          return .needsMethod
        }
        try prices.repeatQuestion(&known, in: transaction)
        try consents.record(of: &known, in: transaction)
        try prices.announceNewest(to: &known, in: transaction)
        try SubscriptionRecords.save(known, in: transaction)
        return .kept
      }
      guard let country = try AccountRecords.country(of: key.account, in: transaction),
        let quote = try quotes.quote(product, quantity: 1, country: country, language: language, of: key.app),
        quote.product.message.subscriptionGroupID == key.group, let plan = quote.product.message.plan(at: quote.price),
        quote.price == shownPrice
      else { return .repriced }
      if known.machine.start(of: plan) == .atOnce { return .bought }
      // The choice switches the renewal on.
      guard known.canRenew else { return .refused }
      guard try known.mayAgree(to: plan, in: transaction) else { return .needsMethod }
      let effects = known.machine.handle(.planChosen(plan), at: transaction.now)
      guard effects.isEmpty else { return .refused }
      try orders.products.store(quote.product, in: transaction)
      try consents.record(toChosen: (quote.product.id, country), of: &known, in: transaction)
      try SubscriptionRecords.save(known, in: transaction)
      return .planned
    }
    if choice == .planned || choice == .kept { changes.wake(account: key.account) }
    return choice
  }

  /// Returns a subscription whose period runs and whose next one is not being paid, after its due effects. Nil for
  /// another one.
  func running(_ key: SubscriptionKey, in transaction: StoreTransaction) throws -> StoredSubscription? {
    try changeable(key, in: transaction).flatMap { $0.machine.stage == .active ? $0 : nil }
  }

  /// Returns a subscription that runs or is unpaid, and whose next period is not being paid, after its due effects. Nil
  /// for another one.
  private func changeable(_ key: SubscriptionKey, in transaction: StoreTransaction) throws -> StoredSubscription? {
    try lifecycle.passTime(of: key, in: transaction)
    guard let known = try SubscriptionRecords.subscription(key, in: transaction),
      known.machine.stage == .active || known.machine.isUnpaid, known.machine.openCharge == nil
    else { return nil }
    return try isRenewalWithProvider(known, in: transaction) ? nil : known
  }

  private func isRenewalWithProvider(
    _ known: StoredSubscription, in connection: any SQLConnection
  ) throws -> Bool {
    let renewal = try known.renewalOrder.flatMap { try orders.order($0, in: connection) }
    return renewal?.state.stage == .processing
  }
}
