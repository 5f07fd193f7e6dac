import Foundation
import OnsideAPI
import OnsideCommerce

/// What is sold, at which price, to whom.
extension LocalShop {
  func products(_ identifiers: [String], for account: AccountID?, at now: Date) -> ProductsMessage {
    let asked = Set(identifiers)
    let found = configuration.products.filter { asked.contains($0.id) }.compactMap {
      message(of: $0, for: account, at: now)
    }
    let invalid = asked.subtracting(found.map(\.id))
    return ProductsMessage(country: storefront, products: found, invalidProductIDs: invalid.sorted())
  }

  /// The product as an account sees it; nil when the file has no price for it.
  func message(of product: Product, for account: AccountID?, at now: Date) -> ProductMessage? {
    guard let regular = regularPrice(of: product), let price = price(regular) else { return nil }
    let text = product.text(preferring: [settings.language], default: settings.language)
    var message = ProductMessage(
      id: product.id, kind: product.kind, title: text.title, description: text.description, iconURL: product.iconURL,
      price: price, subscriptionGroupID: product.subscription?.groupID, subscriptionPeriod: product.subscription?.period
    )
    message.offers = offers(of: product, for: account, at: now)
    return message
  }

  /// The introductory offer, for those who never subscribed in the group (PRD-9).
  func offer(of product: Product, for account: AccountID?) -> AcceptedOffer? {
    guard let subscription = product.subscription, let offer = subscription.introductoryOffer,
      self.subscription(of: account, in: subscription.groupID)?.machine.isEligibleForIntroductoryOffer ?? true
    else { return nil }
    return price(of: offer).map {
      AcceptedOffer(
        kind: offer.kind, mode: offer.mode, period: offer.period, periodCount: offer.periodCount, price: $0)
    }
  }

  /// What a period of an offer costs in the region.
  func price(of offer: Offer) -> Money? {
    offer.mode == .freeTrial ? Money.zero(storefront.currency) : amount(offer.prices)
  }

  func plan(of product: Product, _ subscription: Subscription) -> SubscriptionPlan? {
    regularPrice(of: product).map {
      SubscriptionPlan(
        productID: product.id, level: subscription.level, period: subscription.period, price: $0,
        graceDays: subscription.graceDays ?? (settings.billingGracePeriodEnabled ? nil : 0))
    }
  }

  /// The price in the region, which may have changed since the file was written.
  private func regularPrice(of product: Product) -> Money? {
    let changed = book.prices?[product.id]
    return changed?.currency == storefront.currency ? changed : amount(product.prices)
  }

  func price(_ money: Money?) -> PriceMessage? {
    money.map { PriceMessage($0, formatted: $0.formatted(country: storefront, language: settings.language)) }
  }

  /// The regular price times the quantity. Only consumables are sold in larger quantities, as at a store over HTTP.
  func price(of product: ProductMessage, quantity: Int) throws(StoreError) -> PriceMessage {
    guard OrderRequest.quantities.contains(quantity) else { throw .refused(.invalidRequest) }
    guard quantity == 1 || product.kind == .consumable,
      let total = price(try? product.price.money.multiplied(by: quantity))
    else { throw .refused(.quantityNotAvailable) }
    return total
  }

  /// The file's number in the currency of the region. The file has one price for each product; where the currency has
  /// no such fraction, it is the next whole one.
  private func amount(_ prices: [CountryCode: Money]) -> Money? {
    guard let money = prices[configuration.settings.storefront] else { return nil }
    let currency = storefront.currency
    if money.currency == currency { return money }
    var scaled = money.decimal * Decimal(sign: .plus, exponent: currency.exponent, significand: 1)
    var whole = Decimal()
    NSDecimalRound(&whole, &scaled, 0, .up)
    return Int64(whole.description).map { Money(minorUnits: $0, currency: currency) }
  }

  /// What the account has of a product that is not sold twice.
  func alreadyOwned(_ product: Product, by account: AccountID, at now: Date) -> OrderMessage? {
    if product.kind == .nonConsumable {
      return messages(of: account) {
        $0.product.id == product.id && OrderState($0).isEntitled && $0.duplicateOf == nil
      }.last
    }
    guard let subscription = product.subscription, let plan = plan(of: product, subscription),
      let own = self.subscription(of: account, in: subscription.groupID), own.machine.isEntitled(at: now),
      own.machine.start(of: plan) == .alreadyThere
    else { return nil }
    return own.machine.period.flatMap { own.orders[$0.number] }.flatMap { book.orders[$0]?.message }
  }

  /// Whether the account has a plan that another one follows with the next renewal only: an order for that is refused.
  func isBlockedByPlan(_ product: Product, for account: AccountID) -> Bool {
    guard let subscription = product.subscription, let plan = plan(of: product, subscription),
      let own = self.subscription(of: account, in: subscription.groupID)
    else { return false }
    return own.machine.start(of: plan) == .atRenewal
  }

  func subscription(of account: AccountID?, in group: String) -> SubscriptionEntry? {
    book.subscriptions.first { $0.owner == account && $0.groupID == group }
  }
}
