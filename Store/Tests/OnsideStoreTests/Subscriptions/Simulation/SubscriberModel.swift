import Foundation
import OnsideAPI
import OnsideCommerce
import StripeDouble

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// What one account has seen, said and paid, as it is known outside the store.
struct SubscriberModel: Sendable {
  /// What a payment page has shown of an order.
  struct Shown: Sendable, Hashable {
    let price: Int64
    /// The price of its plan after an offer.
    let regular: Int64
    let offerCount: Int
  }

  /// A price of a plan that the account has agreed to by a button beside it.
  struct Agreement: Sendable {
    let date: Date
    let plan: String
    let price: Int64
  }

  let customer: Customer
  let address: String
  var shown: [UUID: Set<Shown>] = [:]
  var agreements: [Agreement] = []
  /// Since when the renewal is switched off; nil while it is on.
  var offSince: Date?
  /// What ``offSince`` was before a plan was chosen.
  var offBeforeChoice: Date?
  var removedAt: Date?
  /// When pauses were planned.
  var pauses: [Date] = []
  /// The purchases that were paid.
  var purchases: Set<UUID> = []
  /// When the account was last looked at, and whether it had access that was not paid.
  var lastLook: (date: Date, isFree: Bool)?
  /// Whether a purchase that was paid after the end of a period was paid in its grace period.
  var paidInGrace: [UUID: Bool] = [:]
  /// The ends of the periods that a grace period has followed.
  var graces: Set<Date> = []
  /// The subscription's payment method from a time on; nil after its removal. The oldest first.
  private(set) var methods: [(date: Date, method: String?)] = []
  /// When the buyer has removed cards.
  var removedMethods: [String: Date] = [:]
  /// The charges of renewals that no page has shown.
  private var automaticCharges: [(date: Date, method: String, name: String)] = []
  /// The terms on the pages on which other persons have entered their cards, by card.
  private(set) var othersTerms: [String: (plan: String, price: Int64)] = [:]

  // MARK: What was charged

  /// Of each plan, up to which price renewals are agreed.
  var agreed: [String: Int64] = [:]
  /// When rises were told that were charged.
  var rises: [Date] = []
  var lastCharge: (date: Date, plan: String, isOffer: Bool)?
  /// How many charges at the price of an offer are left.
  var offerChargesLeft = 0
  /// The offer that the buyer has accepted for the next renewal of a plan.
  var accepted: (plan: String, terms: Shown)?

  init(customer: Customer, address: String) { (self.customer, self.address) = (customer, address) }

  mutating func saw(_ page: PaymentPage, of order: UUID) { shown[order, default: []].insert(terms(on: page)) }

  func terms(on page: PaymentPage) -> Shown {
    let offer = page.offer
    let count = offer?.mode == .payAsYouGo ? offer?.periodCount ?? 1 : 1
    return Shown(
      price: page.price.minorUnits, regular: offer == nil ? page.price.minorUnits : page.product.price.amount,
      offerCount: offer == nil ? 0 : count)
  }

  mutating func agree(_ plan: String, _ price: Money, at date: Date) {
    agreements.append(Agreement(date: date, plan: plan, price: price.minorUnits))
  }
}

/// The payment method of the subscription.
extension SubscriberModel {
  /// The buyer has chosen a card for the subscription, or removed its card.
  mutating func use(_ method: String?, at date: Date) {
    methods.append((date, method))
    methods.sort { $0.date < $1.date }
  }

  /// Another person has entered a card on the page of an order.
  mutating func isPaid(by method: String, for page: PaymentPage) {
    let regular = page.offer == nil ? page.price.minorUnits : page.product.price.amount
    othersTerms[method] = (page.product.id, max(page.price.minorUnits, regular))
  }

  /// A payment on a page that stated the renewal has begun a period; its card is the subscription's, unless the buyer
  /// has removed it meanwhile.
  mutating func paid(with method: String, at date: Date) {
    if let removed = removedMethods[method], removed <= date { return }
    use(method, at: date)
  }

  /// Compares the charges of renewals since the last call with the subscription's method at their time; returns the
  /// differences.
  mutating func otherMethods() -> [String] {
    defer { automaticCharges = [] }
    return automaticCharges.compactMap { charge in
      // What happens in the second of a charge may come before or after it.
      let agreed =
        [methods.last { $0.date < charge.date }].compactMap(\.self) + methods.filter { $0.date == charge.date }
      if agreed.contains(where: { $0.method == charge.method }) { return nil }
      return "\(charge.method) is not the subscription's method: charged \(charge.name)"
    }
  }
}

/// What may be charged.
extension SubscriberModel {
  /// Takes in that Stripe has the money of a payment; returns what is wrong with that.
  mutating func charged(
    _ payment: StripeServerDouble.PaymentRecord, for order: Order, mails: [Mailbox.Mail], disputes: [DateInterval] = []
  ) -> [String] {
    let (plan, name) = (order.product.message.id, "\(payment.amount) for \(order.product.message.id), \(payment.id)")
    var faults: [String] = []
    if let removedAt, payment.created > removedAt { faults.append("a removed account was charged \(name)") }
    if let method = payment.method, order.reason == .renewal, shown[order.id] == nil {
      automaticCharges.append((payment.created, method, name))
      if let terms = othersTerms[method], terms.plan != plan || payment.amount > terms.price {
        faults.append("another person's card, given for \(terms.price) for \(terms.plan), was charged \(name)")
      }
    }
    if order.reason == .renewal {
      let isDisputed = disputes.contains { $0.start < payment.created && payment.created < $0.end }
      if isDisputed, shown[order.id] == nil { faults.append("a bank was deciding, and was charged \(name)") }
      faults += renewed(payment, plan: plan, name: name, mails: mails)
    } else {
      let terms = shown[order.id]?.first { $0.price == payment.amount }
      if terms == nil { faults.append("no page has shown a charge of \(name)") }
    }
    return faults
  }

  /// A purchase has begun a subscription, on the terms that its page has shown; returns what is wrong with a free one.
  mutating func began(_ order: Order) -> [String] {
    let terms = shown[order.id]?.first { $0.price == order.price.minorUnits }
    let (plan, count) = (order.product.message.id, terms?.offerCount ?? 0)
    (offSince, accepted) = (nil, nil)
    agreed[plan] = terms?.regular
    offerChargesLeft = count - 1
    lastCharge = (order.paidAt ?? .distantPast, plan, count > 0)
    return order.price.isZero && terms == nil ? ["no page has shown a trial of \(plan), \(order.id.lowercase)"] : []
  }

  private mutating func renewed(
    _ payment: StripeServerDouble.PaymentRecord, plan: String, name: String, mails: [Mailbox.Mail]
  ) -> [String] {
    var faults: [String] = []
    let (amount, last) = (payment.amount, lastCharge)
    let since = last?.date ?? .distantPast
    let isByHand = agreements.contains { $0.plan == plan && $0.price == amount && $0.date >= since }
    if let offSince, payment.created > offSince, !isByHand { faults.append("switched off, and charged \(name)") }
    if let begun = beginAccepted(payment, plan: plan, name: name) { return faults + begun }
    let isOffer = last?.plan == plan && last?.isOffer == true && offerChargesLeft > 0
    lastCharge = (payment.created, plan, isOffer)
    if isOffer {
      offerChargesLeft -= 1
      if amount > agreed[plan] ?? 0 { faults.append("in an offer, charged \(name)") }
      return faults
    }
    let told = told(amount, before: payment, in: mails.filter { $0.address == address && $0.date >= since })
    let limit = agreed[plan] ?? 0
    agreed[plan] = amount
    if amount > limit {
      if last?.isOffer == true, !isByHand { faults.append("charged \(name) after an offer, \(limit) on its page") }
      // Another plan's price is no rise.
      let arrived = told.flatMap { $0.failure == nil ? $0 : nil }
      if let arrived, last?.plan == plan { rises.append(arrived.date) }
      if isByHand { return faults }
      guard let arrived else { return faults + ["was not told before it was charged \(name), more than \(limit)"] }
      if needsConsent(from: limit, to: amount, of: plan, toldAt: arrived.date) {
        faults.append("did not agree to \(name), more than \(limit)")
      } else if arrived.date > payment.created + 3600 - notice(of: plan) {
        faults.append("was told too late before it was charged \(name), more than \(limit)")
      }
    } else if told == nil, !isByHand, let last, last.isOffer || isLong(last.plan) {
      faults.append("was not told before it was charged \(name), after \(last.isOffer ? "an offer" : "a year")")
    }
    return faults
  }

  /// The renewal after an accepted offer has the offer's price; nil for every other one.
  private mutating func beginAccepted(
    _ payment: StripeServerDouble.PaymentRecord, plan: String, name: String
  ) -> [String]? {
    guard let (offered, terms) = accepted else { return nil }
    accepted = nil
    guard offered == plan else { return nil }
    agreed[plan] = terms.regular
    offerChargesLeft = terms.offerCount - 1
    lastCharge = (payment.created, plan, true)
    return payment.amount == terms.price ? [] : ["\(terms.price) was accepted, and charged \(name)"]
  }

  /// The mail that told of a charge. A mail server that takes none for ten minutes, or refuses one for good, holds no
  /// charge up that is no rise: the first one that it got counts then.
  private func told(
    _ amount: Int64, before payment: StripeServerDouble.PaymentRecord, in mails: [Mailbox.Mail]
  ) -> Mailbox.Mail? {
    let told = mails.filter { $0.tells(amount) && !$0.charged.contains(payment.id) }
    if let last = told.last(where: { $0.failure == nil }) { return last }
    return told.first { mail in
      if case .refused = mail.failure { true } else { mail.date + 600 <= payment.created }
    }
  }

  /// The time between the message about a rise without consent and the period that has it: a week, or half a week.
  private func notice(of plan: String) -> TimeInterval {
    (SimulatedPlans.plan(plan)?.period == .oneWeek ? 3.5 : 7) * 86_400
  }

  private func isLong(_ plan: String) -> Bool { SimulatedPlans.plan(plan)?.period == .oneYear }

  /// By the rules of docs/subscriptions.md: above half of the price and € 5 (€ 50 for a year), or the second rise in a
  /// year.
  func needsConsent(from old: Int64, to new: Int64, of plan: String, toldAt date: Date) -> Bool {
    let isSecond = rises.dropLast().contains { date.timeIntervalSince($0) < 364 * 86_400 }
    return isSecond || new - old > (isLong(plan) ? 5000 : 500) && (new - old) * 2 > old
  }
}
