import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Records the consents of accounts and payers to the renewals of subscriptions.
struct SubscriptionConsents: Sendable {
  let orders: OrderRecords
  let random: any RandomSource

  /// Records the consent to the renewals after a paid period: the consent of the payment page, or the price of a
  /// renewal that the store has charged.
  func record(
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
        try period.plan.price.minorUnits < present.price.minorUnits || known.hasAccountsMethod(in: transaction)
      else { return }
      (way, giver) = (period.plan.price.minorUnits < present.price.minorUnits ? .lower : .notice, present.giver)
    }
    let ordered = (order.product.id, order.country)
    try insert(
      consent(to: period.plan, offer: period.offer, ordered: ordered, of: known, way, by: giver, transaction),
      to: &known, in: transaction)
  }

  /// Records the consent of an account, on the page of its subscription, to the planned renewals. Records nothing if
  /// the present consent is the same, or if the method is another person's and the renewals stay within that person's
  /// consent. That person's consent remains valid with an offer that it covers.
  ///
  /// - Parameter chosen: the product and price region of the plan that the account has chosen, or of the accepted
  ///   offer; nil for the plan of the present consent or the last period.
  func record(
    toChosen chosen: (product: Int64, country: CountryCode)? = nil, of known: inout StoredSubscription,
    in transaction: StoreTransaction
  ) throws {
    let machine = known.machine
    guard let plan = machine.agreedPlan, let last = try orders.order(known.lastOrder, in: transaction) else { return }
    let present = try SubscriptionConsentRecords.present(of: known, in: transaction)
    var (way, giver) = (SubscriptionConsent.Way.subscriptionPage, SubscriptionConsent.Giver.account)
    if let present, present.method == known.method {
      let isAccounts = try known.hasAccountsMethod(in: transaction)
      guard chosen != nil || isAccounts && (!present.covers(plan) || present.price != plan.price) else { return }
      if !isAccounts { (way, giver) = (.lower, present.giver) }
    }
    let agreed = present.flatMap { $0.product == plan.productID ? ($0.orderedProduct, $0.country) : nil }
    let offer = machine.nextOffer?.offer ?? (machine.continuesOffer ? machine.period?.offer : nil)
    try insert(
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

  private func insert(
    _ consent: SubscriptionConsent, to known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    try SubscriptionConsentRecords.insert(consent, of: known.key, in: transaction)
    known.consent = consent.id
  }
}

extension SubscriptionMachine {
  /// The plan of the next regular renewals, at the price that is planned for them; nil before the first purchase.
  var plannedPlan: SubscriptionPlan? {
    keepsPriceWithoutConsent && nextPlan == nil ? period?.plan : askedPlan
  }

  /// The same, with the price that waits for the answer of the account.
  var askedPlan: SubscriptionPlan? {
    if let nextOffer { return nextOffer.plan }
    guard nextPlan == nil, var plan = period?.plan else { return nextPlan }
    plan.price = pendingPrice ?? plan.price
    return plan
  }

  /// The same, without a price that waits for the answer of the account.
  fileprivate var agreedPlan: SubscriptionPlan? { awaitsConsent ? period?.plan : plannedPlan }
}
