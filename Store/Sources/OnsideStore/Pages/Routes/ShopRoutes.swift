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
      return desk.respond(page(app, country, visit), visit)
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

  private func page(_ app: App, _ country: CountryCode, _ visit: PageVisit) -> ShopPage {
    let sold = catalogue.catalogue(of: app.id)
    let items = sold.products.compactMap { item($0, country, visit, fallback: sold.defaultLanguage) }
    return ShopPage(
      appName: app.name, appInitial: app.initial, path: path(app),
      lead: visit.texts(.shopLead, ["country": visit.texts.name(country)]), country: country.alpha2, products: items,
      choosesRegion: visit.account == nil, regions: PageOption.regions(visit.look.language, chosen: country))
  }

  private func item(
    _ product: Product, _ country: CountryCode, _ visit: PageVisit, fallback: String
  ) -> ShopPage.Item? {
    guard let price = product.price(in: country) else { return nil }
    let (texts, language) = (visit.texts, visit.look.language.rawValue)
    let text = product.text(preferring: [language], default: fallback)
    return ShopPage.Item(
      id: product.id, title: text.title, description: text.description, kind: texts.kind(product.kind),
      price: price.formatted(country: country, language: language),
      rhythm: product.subscription.map { texts.rhythm($0.period) },
      offer: product.subscription?.introductoryOffer.flatMap { texts.describe($0, of: product, in: country) },
      buyLabel: texts[product.kind == .autoRenewableSubscription ? .shopSubscribe : .shopBuy],
      orderID: desk.random.uuid7(at: desk.clock.now()).lowercase)
  }

  private func path(_ app: App) -> String { "/shop/\(app.id.percentEncoded)" }
}
