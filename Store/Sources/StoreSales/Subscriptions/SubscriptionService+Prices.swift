import Foundation
import OnsideAPI
public import OnsideCommerce
import StoreAccounts
import StoreBase

/// Prices for present subscribers.
extension SubscriptionService {
  /// The number of subscriptions in one write.
  private static let batch = 50

  /// Sets the catalogue's price of a product as the price of its present subscribers from their next renewals on.
  ///
  /// Subscriptions that cannot have the price at their next renewal get it at a later one.
  ///
  /// - Parameters:
  ///   - country: only prices of this region; nil for all.
  ///   - isDryRun: whether nothing is changed.
  /// - Returns: the effect on the subscriptions to the product.
  public func reprice(
    _ product: String, of app: String, in country: CountryCode? = nil, on terms: RenewalPriceTerms = .init(),
    isDryRun: Bool = false
  ) async throws -> PriceChangeReport {
    let renewalPrices = try await renewalPrices(of: product, app: app, in: country, on: terms, areInserted: !isDryRun)
    var report = PriceChangeReport()
    var last: SubscriptionKey?
    while true {
      let after = last
      let keys = try await dependencies.database.read {
        try SubscriptionRecords.keys(of: app, after: after, limit: Self.batch, in: $0)
      }
      let groups = try await dependencies.database.write(at: dependencies.clock.now()) { [self] transaction in
        try keys.compactMap { key in
          try reprice(
            key, product: product, in: country, by: renewalPrices, isDryRun: isDryRun, transaction: transaction)
        }
      }
      for group in groups { report.counts[group, default: 0] += 1 }
      guard keys.count == Self.batch else { return report }
      last = keys.last
    }
  }

  /// Returns the catalogue's prices of a product as prices for present subscribers, and inserts them on request.
  private func renewalPrices(
    of product: String, app: String, in country: CountryCode?, on terms: RenewalPriceTerms, areInserted: Bool
  ) async throws -> [CountryCode: RenewalPrice] {
    // `quotes.write` reads the newest catalogue, because another process may have imported one.
    try await quotes.write(at: dependencies.clock.now()) { [self] transaction in
      var prices: [CountryCode: RenewalPrice] = [:]
      let sold = catalogue.catalogue(of: app)[product]
      for country in country.map({ [$0] }) ?? CountryCode.all {
        guard let price = sold?.price(in: country) else { continue }
        let row = RenewalPrice(
          id: dependencies.random.uuid7(at: transaction.now).lowercase, price: price, terms: terms,
          createdAt: transaction.now)
        if areInserted { try RenewalPriceRecords.insert(row, of: product, app: app, country: country, in: transaction) }
        prices[country] = row
      }
      return prices
    }
  }

  /// Applies a price to one subscription. Returns nil for a subscription to another product or region.
  private func reprice(
    _ key: SubscriptionKey, product: String, in country: CountryCode?, by renewalPrices: [CountryCode: RenewalPrice],
    isDryRun: Bool, transaction: StoreTransaction
  ) throws -> PriceChangeReport.Group? {
    let transaction = try transaction.at(timeOf: key.account, in: dependencies.environment)
    guard var known = try SubscriptionRecords.subscription(key, in: transaction), known.machine.isSubscribed,
      let plan = known.machine.period?.plan, plan.productID == product,
      let order = try orders.order(known.lastOrder, in: transaction),
      country == nil || order.country == country
    else { return nil }
    // Another run may have set a newer price meanwhile.
    let newest = try RenewalPriceRecords.newest(
      of: product, app: key.app, country: order.country, validAt: .distantFuture, in: transaction)
    let (price, present) = (
      isDryRun ? renewalPrices[order.country] : newest, known.machine.pendingPrice ?? plan.price
    )
    var outcome = PriceChangeReport.Outcome.notSold
    if let price {
      outcome = try prices.outcome(of: price, for: known, in: transaction)
      if !isDryRun {
        if outcome.isAnnounced {
          try prices.announce(price, needsConsent: outcome == .asked, to: &known, in: transaction)
        } else if outcome == .later {
          try prices.withdrawHigher(than: price, from: &known, in: transaction)
        }
        try lifecycle.carryOut([], of: &known, in: transaction)
      }
    }
    return PriceChangeReport.Group(country: order.country, old: present, new: price?.price, outcome: outcome)
  }

  /// Answers to a price that needs consent. Returns false if the question has ended, and for an agreement to charges of
  /// another person's method.
  ///
  /// - Parameter shownPrice: the price on the page. Another price is another question.
  func answerPrice(accepts: Bool, shownPrice: Money?, of key: SubscriptionKey) async throws -> Bool {
    try await change(key) { service, transaction in
      // The price of an expired subscription needs no answer.
      try service.lifecycle.passTime(of: key, in: transaction)
      guard var known = try SubscriptionRecords.subscription(key, in: transaction), known.machine.isAskedAboutPrice,
        known.machine.pendingPrice == shownPrice,
        try !accepts || known.mayAgree(to: known.machine.askedPlan, in: transaction)
      else { return false }
      let effects = try service.prices.answer(accepts: accepts, of: &known, in: transaction)
      if accepts { try service.consents.record(of: &known, in: transaction) }
      try service.lifecycle.carryOut(effects, of: &known, in: transaction)
      return true
    }
  }
}
