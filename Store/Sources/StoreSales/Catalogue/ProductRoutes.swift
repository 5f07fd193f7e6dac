import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OnsideAPI
package import OnsideCommerce
package import StoreAccounts
package import StoreBase
import StoreWeb

/// Products with their texts and prices.
package struct ProductRoutes: RouteGroup {
  package let apps: AppDirectory
  package let catalogue: CatalogueService
  package let orders: OrderRecords
  package let dependencies: BaseDependencies
  package let defaultCountry: CountryCode

  package init(
    apps: AppDirectory, catalogue: CatalogueService, orders: OrderRecords, dependencies: BaseDependencies,
    defaultCountry: CountryCode
  ) {
    self.apps = apps
    self.catalogue = catalogue
    self.orders = orders
    self.dependencies = dependencies
    self.defaultCountry = defaultCountry
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.products) { request, context in
      guard let app = try apps.app(context.requireAppID()) else { throw Problem.appNotRegistered }
      if let claims = context.claims {
        let (country, terms) = try await dependencies.read(for: claims.accountID) { [orders, catalogue] transaction in
          guard let country = try AccountRecords.country(of: claims.accountID, in: transaction) else {
            throw Problem.notAuthenticated
          }
          let offers = try catalogue.catalogue(of: app.id).offers(
            for: claims.customer, country: country, orders: orders, at: transaction.now, in: transaction)
          let used = try orders.usedGroups(of: claims.customer, in: transaction)
          return (country, Terms(usedGroups: used, offers: offers))
        }
        return answer(try encoded(ProductQuery(request), of: app, in: country, terms: terms))
      }
      let question = "\(app.id)?\(request.uri.query ?? "")"
      if let known = catalogue.answers.answer(to: question) { return answer(known) }
      let revision = catalogue.answers.revision
      let query = try ProductQuery(request)
      let country = query.country ?? app.defaultCountry ?? defaultCountry
      let made = try encoded(query, of: app, in: country)
      catalogue.answers.store(made, for: question, revision: revision)
      return answer(made)
    }
  }

  /// What the caller may have.
  private struct Terms: Sendable {
    /// The groups in which it has paid: no introductory offers there.
    var usedGroups: Set<String> = []
    /// Other offers.
    var offers: [ProductOffer] = []
  }

  private func encoded(
    _ query: ProductQuery, of app: App, in country: CountryCode, terms: Terms = Terms()
  ) throws -> ByteBuffer {
    let catalogue = catalogue.catalogue(of: app.id)
    let selection = catalogue.select(query.identifiers, in: country)
    let products = selection.products.compactMap { product -> ProductMessage? in
      var message = ProductMessage(
        product, in: country, languages: query.languages, defaultLanguage: catalogue.defaultLanguage)?
        .offered(usedGroups: terms.usedGroups)
      message?.offers += terms.offers.filter { $0.product.id == product.id }.compactMap {
        OfferMessage(
          $0.offer, of: product, in: country, language: query.languages.first ?? catalogue.defaultLanguage)
      }
      return message
    }
    let message = ProductsMessage(
      country: country, products: products, invalidProductIDs: selection.invalidIdentifiers)
    return ByteBuffer(bytes: try WireCoding.encoder().encode(message))
  }

  private func answer(_ body: ByteBuffer) -> Response {
    Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: body))
  }
}
