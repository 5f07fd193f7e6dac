import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OnsideAPI
import OnsideCommerce

/// Products with their texts and prices.
struct ProductRoutes: RouteGroup {
  let catalogue: CatalogueService
  let orderedProducts: OrderedProducts
  let database: any Database
  let defaultCountry: CountryCode

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.products) { request, context in
      let app = try context.requireApp()
      if let claims = context.claims {
        let (country, used) = try await database.read { [orderedProducts] connection in
          guard let country = try AccountRecords.country(of: claims.accountID, in: connection) else {
            throw Problem.notAuthenticated
          }
          return (country, try OfferEligibility.usedGroups(of: claims.customer, orderedProducts, in: connection))
        }
        return answer(try encoded(ProductQuery(request), of: app, in: country, usedGroups: used))
      }
      let question = "\(app.id)?\(request.uri.query ?? "")"
      if let known = catalogue.answers.answer(to: question) { return answer(known) }
      let revision = catalogue.answers.revision
      let query = try ProductQuery(request)
      let made = try encoded(query, of: app, in: query.country ?? app.defaultCountry ?? defaultCountry)
      catalogue.answers.keep(made, for: question, revision: revision)
      return answer(made)
    }
  }

  private func encoded(
    _ query: ProductQuery, of app: App, in country: CountryCode, usedGroups: Set<String> = []
  ) throws -> ByteBuffer {
    let catalogue = catalogue.catalogue(of: app.id)
    let selection = catalogue.select(query.identifiers, in: country)
    let products = selection.products.compactMap { product -> ProductMessage? in
      let message = ProductMessage(
        product, in: country, languages: query.languages, defaultLanguage: catalogue.defaultLanguage)
      return message?.offered(usedGroups: usedGroups)
    }
    let message = ProductsMessage(
      country: country, products: products, invalidProductIDs: selection.invalidIdentifiers)
    return ByteBuffer(bytes: try WireCoding.encoder().encode(message))
  }

  private func answer(_ body: ByteBuffer) -> Response {
    Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: body))
  }
}
