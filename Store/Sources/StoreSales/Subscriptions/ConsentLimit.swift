import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments

/// The limit of an account's agreements about a subscription: the method of another person is charged only within that
/// person's consent.
struct ConsentLimit: Sendable {
  /// The consent that limits the account; nil if the account owns the method.
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
  /// A Boolean value that indicates whether the account owns the method: it was entered with the account's login, or
  /// saved or chosen by the account. True without a method.
  func hasAccountsMethod(in connection: any SQLConnection) throws -> Bool {
    guard let method else { return true }
    let consent = try SubscriptionConsentRecords.present(of: self, in: connection)
    if consent?.giver == .account, consent?.method == method { return true }
    return try PaymentMethodRecords.method(method, of: key.account, in: connection)?.isSaved == true
  }

  /// A Boolean value that indicates whether the account may agree to a plan and its offer.
  func mayAgree(
    to plan: SubscriptionPlan?, offer: AcceptedOffer? = nil, in connection: any SQLConnection
  ) throws -> Bool {
    try ConsentLimit(of: self, in: connection).allows(plan, offer: offer)
  }

  /// A Boolean value that indicates whether a renewal may be charged to the subscription's method: the consent covers
  /// it, or a message announced a higher price that needs no consent, and the account owns the method.
  func consentCovers(_ order: Order, in connection: any SQLConnection) throws -> Bool {
    guard let consent = try SubscriptionConsentRecords.present(of: self, in: connection), consent.method == method
    else { return false }
    if consent.covers(order) { return true }
    guard order.offerID == nil, consent.product == order.product.message.id, !consent.price.isZero,
      let change = try pendingChange(in: connection), !change.needsConsent, change.new == order.price
    else { return false }
    return try hasAccountsMethod(in: connection)
  }
}
