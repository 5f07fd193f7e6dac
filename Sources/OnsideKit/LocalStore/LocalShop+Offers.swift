import Foundation
import OnsideAPI
import OnsideCommerce

/// How a purchase comes to its offer.
enum LocalOfferWay: Sendable {
  /// The order names it.
  case name
  /// A code of it was redeemed.
  case code
}

/// The offers of the file and who may have them, by the rules of a store over HTTP. Promotional ones need no signature.
extension LocalShop {
  /// The offer that an order is made with: the one that it names, or the introductory one where the account may have
  /// it.
  func offer(
    named name: String?, of product: Product, for account: AccountID, by way: LocalOfferWay = .name, at now: Date
  ) throws(StoreError) -> AcceptedOffer? {
    guard let name else { return offer(of: product, for: account) }
    guard let offer = product.subscription?.offers.first(where: { $0.id == name }),
      allows(offer, of: product, for: account, by: way, at: now), let accepted = accepted(offer)
    else { throw .refused(.offerNotEligible) }
    return accepted
  }

  /// The offers of a product that are listed for an account: not those of codes.
  func offers(of product: Product, for account: AccountID?, at now: Date) -> [OfferMessage] {
    (product.subscription?.offers ?? []).compactMap { offer in
      guard offer.kind != .introductory || offer.id == product.subscription?.introductoryOffer?.id,
        allows(offer, of: product, for: account, by: .name, at: now), let accepted = accepted(offer),
        let price = price(accepted.price)
      else { return nil }
      return OfferMessage(
        id: offer.id, kind: offer.kind, mode: offer.mode, period: offer.period, periodCount: offer.periodCount,
        price: price)
    }
  }

  /// The offers of a subscription's group that its account may have now: those of its last product first.
  func offers(for entry: SubscriptionEntry, at now: Date) -> [AvailableOfferMessage] {
    let products = catalogue.products.filter { $0.subscription?.groupID == entry.groupID }
    let all = products.flatMap { product in
      offers(of: product, for: entry.owner, at: now).map { AvailableOfferMessage(productID: product.id, id: $0.id) }
    }
    let last = entry.machine.period?.plan.productID
    return all.filter { $0.productID == last } + all.filter { $0.productID != last }
  }

  /// The product and the offer of a name.
  func offer(named name: String) -> (product: Product, offer: Offer)? {
    for product in catalogue.products {
      if let offer = product.subscription?.offers.first(where: { $0.id == name }) { return (product, offer) }
    }
    return nil
  }

  /// The order of an account that redeems an offer. An active subscription keeps its token.
  func request(for offer: Offer, of product: Product, by buyer: LocalBuyer) -> OrderRequest {
    let entry = product.subscription.flatMap { subscription(of: buyer.account, in: $0.groupID) }
    return OrderRequest(
      productID: product.id, country: storefront, appAccountToken: entry?.activeToken ?? buyer.appAccountToken,
      offer: OrderOffer(id: offer.id))
  }

  /// Whether an account may have an offer now.
  func allows(
    _ offer: Offer, of product: Product, for account: AccountID?, by way: LocalOfferWay, at now: Date
  ) -> Bool {
    guard let subscription = product.subscription, let plan = plan(of: product, subscription) else { return false }
    let entry = self.subscription(of: account, in: subscription.groupID)
    let machine = entry?.machine
    let takesPlan =
      machine.map {
        $0.start(of: plan) == .atOnce || $0.canAcceptOffer(offer.kind, of: plan, at: now)
      } ?? true
    switch offer.kind {
    case .introductory: return machine?.isEligibleForIntroductoryOffer ?? true
    case .promotional: return machine != nil && takesPlan
    case .winBack: return entry.map { allowsReturn(of: $0, with: offer, at: now) } ?? false
    case .code: return way == .code && takesPlan && offer.isFor(machine) && !hasUsed(offer, of: product, account)
    default: return false
    }
  }

  private func accepted(_ offer: Offer) -> AcceptedOffer? {
    price(of: offer).map {
      AcceptedOffer(
        kind: offer.kind, mode: offer.mode, period: offer.period, periodCount: offer.periodCount, price: $0)
    }
  }

  private func allowsReturn(of entry: SubscriptionEntry, with offer: Offer, at now: Date) -> Bool {
    let orders = entry.orders.values.compactMap { book.orders[$0] }
    guard entry.machine.isLapsed, let last = entry.machine.period.flatMap({ entry.orders[$0.number] }),
      let end = book.orders[last]?.message.expiresAt
    else { return false }
    let paid = orders.compactMap { order -> Range<Date>? in
      guard order.message.price.amount > 0, order.message.revokedAt == nil, let start = order.message.paidAt,
        let end = order.message.expiresAt, start < end
      else { return nil }
      return start..<end
    }
    let taken = orders.filter { $0.offer?.kind == .winBack }.compactMap(\.message.paidAt).max()
    return (offer.winBack ?? .standard).allows(lapsedAt: end, paid: paid, lastOffer: taken, at: now)
  }

  private func hasUsed(_ offer: Offer, of product: Product, _ account: AccountID?) -> Bool {
    book.orders.values.contains {
      $0.owner == account && $0.message.product.id == product.id && $0.offerID == offer.id && $0.message.paidAt != nil
    }
  }
}

extension Offer {
  /// Whether its codes are for an account with a subscription in the group, or without one.
  fileprivate func isFor(_ machine: SubscriptionMachine?) -> Bool {
    guard let customers else { return true }
    guard let machine else { return customers.contains(.new) }
    return customers.contains(machine.isSubscribed ? .active : .expired)
  }
}
