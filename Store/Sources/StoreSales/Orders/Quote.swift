import Foundation
import OnsideAPI
import OnsideCommerce
package import StoreBase
import Synchronization

/// What a product costs and how it is described, for one country and language.
struct Quote: Sendable {
  let product: OrderedProduct
  let price: Money
  let priceText: String
  /// The offer that the price is of, if it is.
  var offerID: String?

  /// The same at the introductory price, where there is one.
  var introductory: Quote {
    guard let offer = product.message.introductoryOffer else { return self }
    return Quote(product: product, price: offer.price.money, priceText: offer.price.formatted, offerID: offer.id)
  }
}

/// Remembers quotes, since formatting a price takes longer than storing an order. Forgets all when a catalogue
/// changes, or when it is full.
package final class QuoteCache: Sendable {
  private struct Key: Hashable {
    let app: String
    let product: String
    let country: CountryCode
    let language: String?
    /// The only offer that the product is sold with; nil for the introductory one, where it has one.
    var offer: String?
  }

  private struct State {
    var revision = 0
    var products: [Key: OrderedProduct] = [:]
  }

  private static let limit = 10_000
  private let database: any Database
  private let catalogue: CatalogueService
  private let orders: OrderRecords
  private let caches: Caches
  private let state = Mutex(State())

  package init(
    _ catalogue: CatalogueService, orders: OrderRecords, caches: Caches, database: any Database
  ) {
    self.database = database
    self.catalogue = catalogue
    self.orders = orders
    self.caches = caches
  }

  /// Runs a write that sells: a quote that its body takes is of today's price, or was until a second ago, and stays so
  /// until the commit. Runs it again when another process has changed the prices.
  func write<T: Sendable>(
    at now: Date, _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await caches.retryingIfStale {
      try await database.write(at: now) { [caches] transaction in
        // Before the body: a quote of before it could be older than what memory has now.
        try caches.requireFresh(.catalogue, in: transaction)
        return try body(transaction)
      }
    }
  }

  /// What is asked for, at today's price; nil when it is not sold there, or not in this quantity.
  func quote(_ request: OrderRequest, of app: String) throws -> Quote? {
    try quote(
      request.productID, quantity: request.quantity, country: request.country, language: request.language, of: app)
  }

  func quote(
    _ productID: String, quantity: Int, country: CountryCode, language: String?, of app: String
  ) throws -> Quote? {
    let key = Key(app: app, product: productID, country: country, language: language)
    guard let product = try product(key) else { return nil }
    let unit = product.message.price
    if quantity == 1 { return Quote(product: product, price: unit.money, priceText: unit.formatted) }
    guard product.message.kind == .consumable, let price = try? unit.money.multiplied(by: quantity) else { return nil }
    let language = language ?? catalogue.catalogue(of: app).defaultLanguage
    return Quote(product: product, price: price, priceText: price.formatted(country: country, language: language))
  }

  /// What a product costs with one of its offers; nil when that is not sold there.
  func quote(
    _ productID: String, offer: String, country: CountryCode, language: String?, of app: String
  ) throws -> Quote? {
    let key = Key(app: app, product: productID, country: country, language: language, offer: offer)
    guard let product = try product(key), let sold = product.message.offers.first else { return nil }
    return Quote(product: product, price: sold.price.money, priceText: sold.price.formatted, offerID: sold.id)
  }

  /// An offer as the catalogue has it now.
  func offer(_ id: String, of product: String, app: String) -> Offer? {
    catalogue.catalogue(of: app)[product]?.subscription?.offers.first { $0.id == id }
  }

  /// What the product of an order costs its account today: new subscribers pay the introductory price, and an order
  /// that names an offer has that one. Nil when it is not sold any more.
  func quote(for order: Order, in connection: any SQLConnection) throws -> Quote? {
    if let offer = order.namedOffer {
      return try quote(
        order.product.message.id, offer: offer.id, country: order.country, language: order.language, of: order.appID)
    }
    let quote = try quote(
      order.product.message.id, quantity: order.quantity, country: order.country, language: order.language,
      of: order.appID)
    guard let quote, let group = quote.product.message.subscriptionGroupID,
      quote.product.message.introductoryOffer != nil
    else { return quote }
    let used = try orders.usedGroups(of: order.customer, in: connection)
    return used.contains(group) ? quote : quote.introductory
  }

  private func product(_ key: Key) throws -> OrderedProduct? {
    let revision = catalogue.answers.revision
    let known = state.withLock { state -> OrderedProduct? in
      if state.revision != revision || state.products.count >= Self.limit { state = State(revision: revision) }
      return state.products[key]
    }
    if let known { return known }
    let sold = catalogue.catalogue(of: key.app)
    guard let product = sold[key.product],
      var message = ProductMessage(
        product, in: key.country, languages: key.language.map { [$0] } ?? [], defaultLanguage: sold.defaultLanguage)
    else { return nil }
    if let id = key.offer {
      guard let offer = product.subscription?.offers.first(where: { $0.id == id }),
        let priced = OfferMessage(
          offer, of: product, in: key.country, language: key.language ?? sold.defaultLanguage)
      else { return nil }
      message.offers = [priced]
    }
    let ordered = try OrderedProduct(message)
    state.withLock { state in
      if state.revision == revision { state.products[key] = ordered }
    }
    return ordered
  }
}
