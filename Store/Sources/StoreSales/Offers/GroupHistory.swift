import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// How an order comes to its offer.
enum OfferWay: Sendable {
  /// The order names it.
  case name
  /// A code of it was redeemed.
  case code
}

/// What an account has paid in a subscription group, and which offers it may have there.
struct GroupHistory: Sendable {
  /// Its subscription; the clock has done what is due. Nil before the first purchase, and for what was sold before
  /// subscriptions renewed.
  let machine: SubscriptionMachine?
  /// The paid orders, also those that were taken back.
  let orders: [Order]
  /// The limit of agreements about renewals; nil without a payment method for them.
  private let limit: ConsentLimit?
  /// Whether an identity of the account is that of a deleted subscriber of the group.
  let isDeletedSubscriber: Bool

  init(
    _ key: SubscriptionKey, orders records: OrderRecords, at now: Date, in connection: any SQLConnection
  ) throws {
    let known = try SubscriptionRecords.subscription(key, in: connection)
    machine = known?.machine.asOf(now)
    limit = try known.flatMap { try $0.method == nil ? nil : ConsentLimit(of: $0, in: connection) }
    let customer = Customer(account: key.account, app: key.app)
    orders = try records.orders(.paidSubscriptions, of: customer, in: connection)
      .filter { $0.product.message.subscriptionGroupID == key.group }
    isDeletedSubscriber = try records.deletedSubscribers.groups(of: customer, in: connection).contains(key.group)
  }

  private var isNew: Bool { orders.isEmpty && !isDeletedSubscriber }

  /// Why the account may not have an offer of a plan now; nil when it may.
  func refusal(of offer: Offer, of plan: SubscriptionPlan, at now: Date, by way: OfferWay = .name) -> String? {
    switch offer.kind {
    case .introductory: isNew ? nil : "The offer is for accounts that never subscribed in the group."
    case .winBack: allowsReturn(with: offer, at: now) ? nil : "The account may not have this win-back offer now."
    case .promotional: refusalOfPromotion(of: plan, at: now)
    case .code where way == .name: "The offer is for those who redeem one of its codes, on the page /redeem."
    case .code: refusal(ofCodeFor: offer.customers, plan, at: now)
    default: "Offers of the kind \(offer.kind.rawValue) are not sold."
    }
  }

  private func refusalOfPromotion(of plan: SubscriptionPlan, at now: Date) -> String? {
    guard machine != nil, !orders.isEmpty else { return "The offer is for present and past subscribers of the group." }
    return refusalOfStart(of: plan, with: .promotional, at: now)
  }

  private func refusalOfStart(of plan: SubscriptionPlan, with kind: OfferKind, at now: Date) -> String? {
    guard let machine else { return nil }
    switch machine.start(of: plan) {
    case .atOnce: return nil
    case .atRenewal: return "The account has a plan that goes on, and this one would not start at once."
    case .alreadyThere:
      guard machine.canAcceptOffer(kind, of: plan, at: now) else {
        return "The account has the plan, and its next renewal is due, unpaid, of another offer or in another currency."
      }
      guard limit?.allows(plan) == true else {
        return "The account has the plan, and its renewals have no payment method, or another person's, whose consent "
          + "does not cover the price."
      }
      return nil
    }
  }

  private func refusal(ofCodeFor customers: [OfferCustomer]?, _ plan: SubscriptionPlan, at now: Date) -> String? {
    guard customers.map({ customers in customer(at: now).map(customers.contains) ?? false }) ?? true else {
      return "The offer is for other accounts: \((customers ?? []).map(\.rawValue).joined(separator: ", "))."
    }
    return refusalOfStart(of: plan, with: .code, at: now)
  }

  /// The kind of customer; nil for a deleted subscriber who has not bought again.
  private func customer(at now: Date) -> OfferCustomer? {
    if isNew { return .new }
    if orders.isEmpty { return nil }
    return machine?.isSubscribed == true || orders.contains { $0.isOwned(at: now) } ? .active : .expired
  }

  private func allowsReturn(with offer: Offer, at now: Date) -> Bool {
    guard let machine, machine.isLapsed, let end = machine.period?.end else { return false }
    let paid = orders.filter { !$0.price.isZero && $0.state.revocation == nil }.compactMap { order -> Range<Date>? in
      guard let start = order.paidAt, let end = order.expiresAt, start < end else { return nil }
      return start..<end
    }
    let last = orders.filter { $0.offer?.kind == .winBack && !$0.isRenewal }.compactMap(\.paidAt).max()
    return (offer.winBack ?? .standard).allows(lapsedAt: end, paid: paid, lastOffer: last, at: now)
  }
}
