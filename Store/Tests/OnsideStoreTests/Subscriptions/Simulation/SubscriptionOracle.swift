import Foundation
import OnsideAPI
import OnsideCommerce
import StripeDouble

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// Looks at a store and its provider after every step, and says what must not be.
struct SubscriptionOracle {
  let world: SubscribedStore
  var accounts: [SubscriberModel] = []
  /// What is wrong, as found.
  private(set) var faults: [String] = []
  /// New prices for present subscribers, as the operator has announced them.
  var announced: [(date: Date, plan: String, price: Int64)] = []
  private var charged: Set<String> = []
  private var owners: [UUID: Int] = [:]
  /// The orders whose payment methods were taken in.
  private var known: Set<UUID> = []

  init(_ world: SubscribedStore) { self.world = world }

  /// Looks at everything that holds at any time.
  mutating func look(_ plans: SimulatedPlans) async throws {
    for payment in world.stripe.payments where payment.successfulCharges > 0 {
      if payment.successfulCharges > 1 { faults.append("\(payment.id) was charged twice") }
      if charged.insert(payment.id).inserted { try await take(payment, plans) }
    }
    for index in accounts.indices where accounts[index].removedAt == nil { try await look(at: index, plans) }
  }

  private mutating func take(_ payment: StripeServerDouble.PaymentRecord, _ plans: SimulatedPlans) async throws {
    guard let id = payment.metadata["order"].flatMap({ UUID(uuidString: $0) }), let order = try await order(id) else {
      return faults.append("\(payment.id) is a charge of no order")
    }
    let owner = accounts.firstIndex { $0.customer.account == order.accountID } ?? owners[id]
    guard let owner else { return }
    let disputes = try await disputes(of: order.accountID)
    let wrong = accounts[owner].charged(payment, for: order, mails: world.mailbox.mails, disputes: disputes)
    faults += wrong.map { "buyer \(owner + 1) \($0)" }
  }

  /// The disputes about payments of an account. Each holds renewals for 120 days at most.
  private func disputes(of account: String) async throws -> [DateInterval] {
    try await world.core.dependencies.database.read { connection in
      try connection.rows(
        """
        SELECT d.opened_at, d.closed_at FROM disputes d JOIN orders o ON o.id = d.order_id
        WHERE o.account_id = $1 AND d.state <> 'warning'
        """, [.text(account)]
      ).map { row in
        let opened = try row.date("opened_at")
        let limit = opened + 120 * 86_400
        return DateInterval(start: opened, end: min(try row.optionalDate("closed_at") ?? limit, limit))
      }
    }
  }

  private func order(_ id: UUID) async throws -> Order? {
    let records = world.core.orders.records
    return try await world.core.dependencies.database.read { try records.order(id, in: $0) }
  }

  private mutating func look(at index: Int, _ plans: SimulatedPlans) async throws {
    let orders = try await world.orders(of: accounts[index].customer)
    for order in orders { owners[order.id] = index }
    let paid = orders.filter {
      $0.reason != .renewal && $0.reason != .grant && $0.state.stage == .paid && $0.duplicateOf == nil
    }
    .inOrderOfPayment
    var wrong: [String] = []
    for order in paid where accounts[index].purchases.insert(order.id).inserted {
      if let look = accounts[index].lastLook { accounts[index].paidInGrace[order.id] = look.isFree }
      wrong += accounts[index].began(order)
    }
    for order in orders where order.reason == .grant && accounts[index].purchases.insert(order.id).inserted {
      // A granted period does not renew.
      accounts[index].offSince = order.paidAt
    }
    takeMethods(ofPaid: orders, index)
    wrong += accounts[index].otherMethods()
    let model = accounts[index]
    let periods = SubscriberPeriods(
      orders, pauses: model.pauses, plans: plans, paidInGrace: model.paidInGrace, graces: model.graces)
    let list = try await world.entitlement(of: model.customer)
    noteGrace(list, with: orders, periods: periods, index)
    wrong += periods.faults + unpaid(orders) + introductions(paid) + rewards(paid) + trials(paid)
    wrong += access(list, of: model, with: orders, periods: periods, plans: plans)
    faults += wrong.map { "buyer \(index + 1): \($0)" }
  }

  /// Notes access without a paid period. A charge that has no answer of its provider begins no grace period.
  private mutating func noteGrace(
    _ list: Entitlement?, with orders: [Order], periods: SubscriberPeriods, _ index: Int
  ) {
    let (now, has) = (world.now, list?.isActive(at: world.now) ?? false)
    let isFree = has && periods.running(at: now).isEmpty && !periods.mayRun(at: now)
    // Before the end of the period nothing is known yet.
    accounts[index].lastLook = periods.last(at: now).flatMap { now >= $0.end ? (now, isFree) : nil }
    let isAsked = orders.contains { $0.isRenewal && $0.state.stage == .processing }
    if isFree, !isAsked, let end = periods.last(at: now)?.end { accounts[index].graces.insert(end) }
  }

  /// Takes in the cards with which orders were paid whose page was shown.
  private mutating func takeMethods(ofPaid orders: [Order], _ index: Int) {
    for order in orders.inOrderOfPayment where order.state.stage == .paid && order.duplicateOf == nil {
      guard order.reason != .renewal || accounts[index].shown[order.id] != nil, known.insert(order.id).inserted
      else { continue }
      let setup = world.stripe.setups.last { $0.metadata["order"] == order.id.lowercase && $0.status == "succeeded" }
      let payment = world.stripe.payments.last { $0.metadata["charge"] == order.paymentID }
      guard let method = order.price.isZero ? setup?.method : payment?.method else { continue }
      // Another person who pays a renewal gives the card for that alone.
      if order.reason == .renewal, accounts[index].othersTerms[method] != nil { continue }
      accounts[index].paid(with: method, at: order.paidAt ?? .distantPast)
    }
  }

  /// Nothing is paid without money.
  private func unpaid(_ orders: [Order]) -> [String] {
    let paid = Set(
      world.stripe.payments.filter { $0.successfulCharges > 0 }.compactMap { $0.metadata["order"] })
    return orders.filter { $0.state.stage == .paid && $0.duplicateOf == nil && !$0.price.isZero }
      .filter { !paid.contains($0.id.lowercase) }
      .map { "\($0.id.lowercase) is paid without money" }
  }

  /// The signed list gives what is paid, and behind it the grace period while the renewal is wanted and unpaid.
  private func access(
    _ list: Entitlement?, of model: SubscriberModel, with orders: [Order], periods: SubscriberPeriods,
    plans: SimulatedPlans
  ) -> [String] {
    let (now, has) = (world.now, list?.isActive(at: world.now) ?? false)
    if !periods.running(at: now).isEmpty { return has ? [] : ["has paid and has no access"] }
    if periods.mayRun(at: now) { return [] }
    guard let last = periods.last(at: now) else {
      return has ? ["has access without orders"] : []
    }
    let isGrace = !last.isTakenBack && now >= last.end && now < last.end + plans.grace(of: last.plan)
    let isPaused = model.pauses.contains { $0 >= last.start - 3700 }
    // The last charge may be with the provider while the renewal is switched off.
    let isCharged = orders.contains { $0.isRenewal && $0.state.stage == .processing }
    let isWanted = model.offSince == nil || isCharged
    if has, !isGrace || !isWanted {
      return ["has access, its period ended \(RFC3339.text(last.end)), taken back \(last.isTakenBack)"]
    }
    if has, periods.hasUsedGrace == true, !isCharged {
      return ["has a second grace period, and has paid no renewal since the first"]
    }
    if has, let method = model.methods.last, method.method == nil, method.date < last.end - 3700, !isCharged {
      return ["has a grace period without a payment method"]
    }
    let isAsked = isAsked(model)
    let mayHaveGrace = isGrace && periods.hasUsedGrace == false && model.methods.last?.method != nil
    if !has, mayHaveGrace, model.offSince == nil, !isPaused, !isAsked { return ["has no access in its grace period"] }
    return []
  }

  /// A Boolean value that indicates whether a question about a price may wait for an answer: on the page, and in a mail
  /// unless the store slept.
  private func isAsked(_ model: SubscriberModel) -> Bool {
    let (since, plan) = (model.lastCharge?.date ?? .distantPast, model.lastCharge?.plan ?? "")
    return world.mailbox.mails.contains { $0.address == model.address && $0.isQuestion && $0.date >= since }
      || announced.last { $0.plan == plan }.map {
        model.needsConsent(from: model.agreed[plan] ?? 0, to: $0.price, of: plan, toldAt: $0.date)
      } ?? false
  }

  mutating func add(_ fault: String) { faults.append(fault) }
}
