import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideVerify

/// What the simulated store has on its disk of the account: the subscription, its payments, and what is to be done.
struct BillingBooks {
  /// What the store has to do outside, until it has been done.
  enum OutboxEntry: Hashable {
    case charge(SubscriptionCharge)
    case refund(BillingPayment, number: Int, amount: Int64, ofPeriod: Int?)
  }

  /// A period that was paid, and what became of it.
  struct SoldPeriod {
    var period: PaidPeriod
    let payment: BillingPayment
    let paidAt: Date
    /// When another plan took its place.
    var replacedAt: Date?
    /// When its money went back.
    var revokedAt: Date?

    /// When it is over.
    var end: Date { [period.end, replacedAt, revokedAt].compactMap(\.self).min() ?? period.end }
  }

  static let group = "plans"

  var machine = SubscriptionMachine(terms: SubscriptionTerms(leadTime: 3600))
  private(set) var soldPeriods: [SoldPeriod] = []
  private(set) var outbox: [OutboxEntry] = []
  /// What was paid, by payment.
  private(set) var paid: [BillingPayment: Int64] = [:]
  /// What goes back or went back, by payment.
  private(set) var refunded: [BillingPayment: Int64] = [:]
  /// A price that waits for the person's answer.
  private(set) var askedPrice: Money?
  /// Raised with all that devices are to hear of.
  private(set) var news = 0
  private var refunds = 0
  let brokenRule: BrokenBillingRule?

  init(brokenRule: BrokenBillingRule?) { self.brokenRule = brokenRule }

  /// What a payment has brought and is not on its way back.
  func left(of payment: BillingPayment) -> Int64 { (paid[payment] ?? 0) - (refunded[payment] ?? 0) }

  /// Applies what happened.
  mutating func handle(_ event: SubscriptionEvent, paidBy payment: BillingPayment? = nil, at now: Date) {
    let before = machine
    let effects = machine.handle(event, at: now)
    for effect in effects { apply(effect, paidBy: payment, at: now) }
    if machine != before || !effects.isEmpty { news += 1 }
  }

  /// A purchase was paid; once, however often it is told.
  mutating func hear(_ order: BillingOrder, at now: Date) {
    guard paid[order.payment] == nil else { return }
    paid[order.payment] = order.price.minorUnits
    handle(.purchased(order.plan, offer: order.offer), paidBy: order.payment, at: now)
  }

  /// The provider has said what came of a charge; once, however often it is told.
  mutating func hear(
    _ state: BillingProvider.State, of charge: SubscriptionCharge, _ payment: BillingPayment, at now: Date
  ) {
    guard state != .pending else { return }
    outbox.removeAll { $0 == .charge(charge) }
    guard paid[payment] == nil else { return }
    switch state {
    case .succeeded:
      paid[payment] = charge.price.minorUnits
      handle(.chargeSucceeded(charge), paidBy: payment, at: now)
    case .declined(let isFinal): handle(.chargeFailed(charge, isFinal: isFinal), at: now)
    case .pending: break
    }
  }

  /// Whether the answer to a charge is on the disk.
  func hasHeard(_ charge: SubscriptionCharge) -> Bool { !outbox.contains(.charge(charge)) }

  private mutating func apply(_ effect: SubscriptionEffect, paidBy payment: BillingPayment?, at now: Date) {
    switch effect {
    case .charge(let charge): add(.charge(charge))
    case .began(let period):
      if let payment { soldPeriods.append(SoldPeriod(period: period, payment: payment, paidAt: now)) }
      askedPrice = nil
    case .refundUnused(let money, let period):
      guard let index = soldPeriods.lastIndex(where: { $0.period == period }) else { return }
      soldPeriods[index].replacedAt = now
      guard brokenRule != .unusedPartGoesBack else { return }
      refund(soldPeriods[index].payment, money.minorUnits, ofPeriod: nil)
    case .periodDropped(let running):
      if let index = soldPeriods.lastIndex(where: { $0.period.start == running.start && $0.period.end == running.end })
      {
        soldPeriods[index].period.number = running.number
      }
    case .refundCharge, .refused:
      guard let payment, paid[payment] != nil, brokenRule != .lateMoneyGoesBack else { return }
      refund(payment, left(of: payment), ofPeriod: nil)
    case .askConsent(let price): askedPrice = price
    case .expired, .revoked: askedPrice = nil
    case .graceBegan, .retryBegan, .paused: break
    }
  }

  /// The operator gives back what is left of a period.
  mutating func refund(period index: Int) {
    let payment = soldPeriods[index].payment
    refund(payment, left(of: payment), ofPeriod: index)
  }

  private mutating func refund(_ payment: BillingPayment, _ amount: Int64, ofPeriod index: Int?) {
    let amount = min(amount, left(of: payment))
    guard amount > 0 else { return }
    refunds += 1
    refunded[payment, default: 0] += amount
    add(.refund(payment, number: refunds, amount: amount, ofPeriod: index))
  }

  /// An entry of the outbox was done; what an operator has given back ends its period.
  mutating func done(_ entry: OutboxEntry, at now: Date) {
    outbox.removeAll { $0 == entry }
    guard case .refund(_, _, _, let index?) = entry, brokenRule != .refundEndsAccess else { return }
    soldPeriods[index].revokedAt = now
    handle(.refunded(period: soldPeriods[index].period.number, .refund), at: now)
  }

  mutating func clearAskedPrice() { askedPrice = nil }

  private mutating func add(_ entry: OutboxEntry) {
    if !outbox.contains(entry) { outbox.append(entry) }
  }

  /// The list that the store signs for the account's devices.
  func list(at now: Date) -> EntitlementList {
    let purchases = soldPeriods.enumerated().map { index, sold in
      Entitlement(
        productID: sold.period.plan.productID, productType: .autoRenewableSubscription, subscriptionID: Self.group,
        orderID: Self.orderID(index), purchaseDate: sold.paidAt, expiresAt: sold.replacedAt ?? sold.period.end,
        revocation: sold.revokedAt.map { Revocation(date: $0, reason: .refund) }, willRenew: false)
    }
    let last = soldPeriods.lastIndex { $0.revokedAt == nil }.map(Self.orderID)
    return EntitlementList(
      of: purchases, account: "subscriber", app: "io.example.lumen", environment: .sandbox, at: now,
      subscriptions: last.map { [$0: machine.asOf(now)] } ?? [:])
  }

  private static func orderID(_ index: Int) -> UUID {
    UUID.version7(at: Date(timeIntervalSince1970: Double(index)), random: [UInt8](repeating: 0, count: 10))
  }
}
