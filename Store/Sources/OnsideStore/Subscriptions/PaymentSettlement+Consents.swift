import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The consents of subscriptions: recorded, and compared with the charges of renewals.
extension PaymentSettlement {
  /// A Boolean value that indicates whether a renewal may be charged to the subscription's method: the consent covers
  /// it, or the account, whose own method it is, was told of a higher price that needs no answer.
  func isCovered(_ order: Order, of known: StoredSubscription, in connection: any SQLConnection) throws -> Bool {
    guard let consent = try SubscriptionConsentRecords.present(of: known, in: connection),
      consent.method == known.method
    else { return false }
    if consent.covers(order) { return true }
    guard order.offerID == nil, consent.product == order.product.message.id, !consent.price.isZero,
      let change = try known.pendingChange(in: connection), !change.needsConsent, change.new == order.price
    else { return false }
    return try isAccountsMethod(of: known, in: connection)
  }

  /// A Boolean value that indicates whether the method of a subscription is the account's own: entered with its login,
  /// saved or chosen by it.
  func isAccountsMethod(of known: StoredSubscription, in connection: any SQLConnection) throws -> Bool {
    try known.hasAccountsMethod(in: connection)
  }

  /// A Boolean value that indicates whether the account may agree to a plan and its offer.
  func mayAgree(
    to plan: SubscriptionPlan?, offer: AcceptedOffer? = nil, of known: StoredSubscription,
    in connection: any SQLConnection
  ) throws -> Bool {
    try ConsentLimit(of: known, in: connection).allows(plan, offer: offer)
  }

  /// Records the consent to the renewals that follow a paid period: that of the payment's page, or, for a renewal that
  /// the store has charged, its price.
  func recordConsent(
    after period: PaidPeriod, of order: Order, by payment: Payment, for known: inout StoredSubscription,
    in transaction: StoreTransaction
  ) throws {
    let present = try SubscriptionConsentRecords.present(of: known, in: transaction)
    let (way, giver): (SubscriptionConsent.Way, SubscriptionConsent.Giver)
    if let onPage = payment.renewalGiver {
      (way, giver) = (.paymentPage, onPage)
    } else {
      guard order.isRenewal, period.offer == nil, let present, present.product == period.plan.productID,
        present.price != period.plan.price,
        // Another person's consent is not raised.
        try period.plan.price.minorUnits < present.price.minorUnits || isAccountsMethod(of: known, in: transaction)
      else { return }
      (way, giver) = (period.plan.price.minorUnits < present.price.minorUnits ? .lower : .notice, present.giver)
    }
    let ordered = (order.product.id, order.country)
    try give(
      consent(to: period.plan, offer: period.offer, ordered: ordered, of: known, way, by: giver, transaction),
      to: &known, in: transaction)
  }

  /// Records the consent of an account, on the page of its subscription, to the renewals that are planned: unless the
  /// present consent is the same, or another person's method is charged within that person's consent. That person's
  /// consent goes on with an offer that it covers.
  ///
  /// - Parameter chosen: the plan that the account has chosen, or whose offer it has accepted, and the region of its
  ///   price; nil for the plan of the present consent or the last period.
  func recordConsent(
    toChosen chosen: (product: Int64, country: CountryCode)? = nil, of known: inout StoredSubscription,
    in transaction: StoreTransaction
  ) throws {
    let machine = known.machine
    guard let plan = machine.agreedPlan, let last = try orders.order(known.lastOrder, in: transaction) else { return }
    let present = try SubscriptionConsentRecords.present(of: known, in: transaction)
    var (way, giver) = (SubscriptionConsent.Way.subscriptionPage, SubscriptionConsent.Giver.account)
    if let present, present.method == known.method {
      let isAccounts = try isAccountsMethod(of: known, in: transaction)
      guard chosen != nil || isAccounts && (!present.covers(plan) || present.price != plan.price) else { return }
      if !isAccounts { (way, giver) = (.lower, present.giver) }
    }
    let agreed = present.flatMap { $0.product == plan.productID ? ($0.orderedProduct, $0.country) : nil }
    let offer = machine.nextOffer?.offer ?? (machine.continuesOffer ? machine.period?.offer : nil)
    try give(
      consent(
        to: plan, offer: offer, ordered: chosen ?? agreed ?? (last.product.id, last.country), of: known, way,
        by: giver, transaction),
      to: &known, in: transaction)
  }

  private func consent(
    to plan: SubscriptionPlan, offer: AcceptedOffer?, ordered: (product: Int64, country: CountryCode),
    of known: StoredSubscription, _ way: SubscriptionConsent.Way, by giver: SubscriptionConsent.Giver,
    _ transaction: StoreTransaction
  ) -> SubscriptionConsent {
    SubscriptionConsent(
      id: random.uuid7(at: transaction.now).lowercase, product: plan.productID, orderedProduct: ordered.product,
      country: ordered.country, price: plan.price, period: plan.period, offerPrice: offer?.price, method: known.method,
      givenAt: transaction.now, way: way, giver: giver)
  }

  private func give(
    _ consent: SubscriptionConsent, to known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    try SubscriptionConsentRecords.insert(consent, of: known.key, in: transaction)
    known.consent = consent.id
  }
}

/// The limit of an account's agreements about a subscription: a method that is another person's is charged only within
/// that person's consent.
struct ConsentLimit: Sendable {
  /// The consent that limits the account; nil with a method of its own.
  private let consent: SubscriptionConsent?
  private let isLimited: Bool

  init(of known: StoredSubscription, in connection: any SQLConnection) throws {
    isLimited = try !known.hasAccountsMethod(in: connection)
    consent = isLimited ? try SubscriptionConsentRecords.present(of: known, in: connection) : nil
  }

  /// A Boolean value that indicates whether renewals of a plan, and payments of its offer, are neither higher nor more
  /// frequent than that person has agreed to.
  func allows(_ plan: SubscriptionPlan?, offer: AcceptedOffer? = nil) -> Bool {
    guard isLimited else { return true }
    guard let plan, let consent, consent.covers(plan) else { return false }
    guard let offer, !offer.price.isZero else { return true }
    return offer.period == plan.period && offer.price.minorUnits <= consent.price.minorUnits
  }
}

extension StoredSubscription {
  /// A Boolean value that indicates whether its method, if it has one, is the account's own: entered with its login,
  /// saved or chosen by it.
  func hasAccountsMethod(in connection: any SQLConnection) throws -> Bool {
    guard let method else { return true }
    let consent = try SubscriptionConsentRecords.present(of: self, in: connection)
    if consent?.giver == .account, consent?.method == method { return true }
    return try PaymentMethodRecords.method(method, of: key.account, in: connection)?.isSaved == true
  }
}

extension SubscriptionMachine {
  /// The plan of the next regular renewals, at the price that is planned for them; nil before the first purchase.
  var plannedPlan: SubscriptionPlan? {
    keepsPriceWithoutConsent && nextPlan == nil ? period?.plan : askedPlan
  }

  /// The same, at the price that the account is asked about.
  var askedPlan: SubscriptionPlan? {
    if let nextOffer { return nextOffer.plan }
    guard nextPlan == nil, var plan = period?.plan else { return nextPlan }
    plan.price = pendingPrice ?? plan.price
    return plan
  }

  /// The same, without a price that waits for the account's answer.
  fileprivate var agreedPlan: SubscriptionPlan? { awaitsConsent ? period?.plan : plannedPlan }
}
