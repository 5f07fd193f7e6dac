import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce

/// What an app sells, for people without the app at hand.
struct ShopRoutes: RouteGroup {
  let desk: PageDesk
  let apps: AppDirectory
  let catalogue: CatalogueService
  let orders: OrderService
  let defaultCountry: CountryCode

  func addRoutes(to routes: StoreRoutes) {
    desk.on(.shopPage, routes) { visit, request, context in
      let app = try app(context)
      let asked = request.queryFields["country"].flatMap(CountryCode.init(hint:))
      let country = visit.account?.country ?? asked ?? app.defaultCountry ?? defaultCountry
      return desk.respond(page(app, country, visit, usedGroups: try await usedGroups(visit, app)), visit)
    }
    desk.on(.shopBuy, routes, buy)
  }

  private func app(_ context: StoreRequestContext) throws(PageProblem) -> App {
    guard let id = context.parameters.get("app"), let app = apps.app(id) else { throw .notFound }
    return app
  }

  private func buy(
    _ visit: PageVisit, _ request: Request, _ context: StoreRequestContext
  ) async throws -> Response {
    let app = try app(context)
    let form = try await desk.form(request, context, visit)
    let shop = path(app)
    guard let account = visit.account else {
      return desk.redirect(to: "/login".appendingQuery([("next", shop)]), visit)
    }
    guard let product = form.single("product_id"), let id = form.single("order_id").flatMap(UUID.init(uuidString:))
    else {
      throw PageProblem.form
    }
    // Shown at another region's price: shown again at the right one.
    guard form["country"] == account.country.alpha2 else { return desk.redirect(to: shop, visit) }
    let asked = OrderRequest(productID: product, country: account.country, language: visit.look.language.rawValue)
    do {
      let order = try await orders.create(asked, id: id, account: account.id.description, app: app)
      return desk.redirect(to: "/pay/\(orders.json.tokens.token(orderID: order.id))", visit)
    } catch let problem as Problem where problem.status == .unprocessableContent || problem.status == .conflict {
      return desk.redirect(to: shop, visit)
    }
  }

  private func usedGroups(_ visit: PageVisit, _ app: App) async throws -> Set<String> {
    guard let account = visit.account else { return [] }
    return try await desk.database.read { [catalogue] connection in
      try OfferEligibility.usedGroups(account: account.id.description, app: app.id, catalogue, connection)
    }
  }

  private func page(
    _ app: App, _ country: CountryCode, _ visit: PageVisit, usedGroups: Set<String>
  ) -> ShopPage {
    let sold = catalogue.catalogue(of: app.id)
    let items = sold.products.compactMap { product -> ShopPage.Item? in
      let message = ProductMessage(
        product, in: country, languages: [visit.look.language.rawValue], defaultLanguage: sold.defaultLanguage)
      return message.map {
        item(usedGroups.contains($0.subscriptionGroupID ?? "") ? $0.withoutOffers : $0, visit)
      }
    }
    return ShopPage(
      appName: app.name, appInitial: app.initial, path: path(app),
      lead: visit.texts(.shopLead, ["country": visit.texts.name(country)]), country: country.alpha2, products: items,
      choosesRegion: visit.account == nil, regions: PageOption.regions(visit.look.language, chosen: country))
  }

  private func item(_ product: ProductMessage, _ visit: PageVisit) -> ShopPage.Item {
    let texts = visit.texts
    return ShopPage.Item(
      id: product.id, title: product.title, description: product.description, kind: texts.kind(product.kind),
      price: product.price.formatted, rhythm: product.subscriptionPeriod.map { texts.rhythm($0) },
      offer: product.introductoryOffer.map { texts.describe($0, then: product.price) },
      buyLabel: texts[product.kind == .autoRenewableSubscription ? .shopSubscribe : .shopBuy],
      orderID: desk.random.uuid7(at: desk.clock.now()).lowercase)
  }

  private func path(_ app: App) -> String { "/shop/\(app.id.percentEncoded)" }
}
