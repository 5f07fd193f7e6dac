import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
package import OnsideCommerce
package import StoreAccounts
import StoreBase
import StoreWeb

extension Route {
  static let shopPage = Route(.get, "/shop/{app}", by: .browser)
  static let shopBuy = Route(.post, "/shop/{app}/buy", by: .browser)
  /// Goes on with a purchase after the login that it asked for.
  static let shopBuyNext = Route(.get, "/shop/{app}/buy", by: .browser)
}

/// The web shop of an app: its products, sold without the app.
package struct ShopRoutes: RouteGroup {
  package let responder: PageResponder
  package let apps: AppDirectory
  package let catalogue: CatalogueService
  package let orders: OrderService
  package let defaultCountry: CountryCode

  package init(
    responder: PageResponder, apps: AppDirectory, catalogue: CatalogueService, orders: OrderService,
    defaultCountry: CountryCode
  ) {
    self.responder = responder
    self.apps = apps
    self.catalogue = catalogue
    self.orders = orders
    self.defaultCountry = defaultCountry
  }

  func addRoutes(to routes: StoreRoutes) {
    responder.on(.shopPage, in: routes) { visit, request, context in
      let app = try app(context)
      let asked = request.queryFields["country"].flatMap(CountryCode.init(hint:))
      let country = visit.account?.country ?? asked ?? app.defaultCountry ?? defaultCountry
      let note = request.queryFields["note"].flatMap(ShopNote.init)
      return responder.respond(
        page(app, country: country, visit: visit, owned: try await owned(visit, in: app), note: note), to: visit)
    }
    responder.on(.shopBuy, in: routes, admission: .newOrder) { visit, request, context in
      let app = try app(context)
      let purchase = try PendingPurchase(try await responder.form(request, context: context, for: visit))
      guard let account = visit.account else {
        let next = purchase.address(
          "\(app.shopPath)/buy", app: app, browser: visit.browser, key: responder.keys.current)
        return responder.logIn(to: LocalPath(next)?.text ?? app.shopPath, visit)
      }
      return try await buy(purchase, app: app, account: account, visit: visit)
    }
    responder.on(.shopBuyNext, in: routes, admission: .newOrder) { visit, request, context in
      let app = try app(context)
      let purchase = responder.keys.first {
        PendingPurchase(request.queryFields, app: app, browser: visit.browser, key: $0)
      }
      guard let purchase, let account = visit.account else { return responder.redirect(to: app.shopPath, visit) }
      return try await buy(purchase, app: app, account: account, visit: visit)
    }
  }

  private func app(_ context: StoreRequestContext) throws(PageProblem) -> App {
    guard let id = context.parameters.get("app"), let app = apps.app(id) else { throw .notFound }
    return app
  }

  private func buy(
    _ purchase: PendingPurchase, app: App, account: Account, visit: PageVisit
  ) async throws -> Response {
    // The page showed another region's price: show it again with the account's.
    guard purchase.country == account.country.alpha2 else { return shop(app, note: .region, visit: visit) }
    let customer = Customer(account: account.id.description, app: app.id)
    let group = catalogue.catalogue(of: app.id)[purchase.product]?.subscription?.groupID
    let asked = OrderRequest(
      productID: purchase.product, country: account.country,
      appAccountToken: try await orders.pageToken(of: group.map { customer.subscription(in: $0) }, given: nil),
      language: visit.look.language.rawValue)
    do {
      let order = try await orders.create(asked, id: purchase.orderID, for: customer)
      return responder.redirect(to: "/pay/\(orders.json.tokens.token(orderID: order.id))", visit)
    } catch let error as OrderError {
      return try refuse(error, app: app, visit: visit)
    }
  }

  /// The shop again, after a refused order. Throws a refusal that the shop as it is now does not answer.
  private func refuse(_ error: OrderError, app: App, visit: PageVisit) throws(OrderError) -> Response {
    switch error.code {
    case .storefrontChanged: return shop(app, note: .region, visit: visit)
    case .productNotAvailable: return shop(app, note: .gone, visit: visit)
    case .subscriptionActive: return shop(app, note: .plan, visit: visit)
    // The form was not the shop's, or its order is another one's: the shop has a fresh form, and nothing to tell.
    case .invalidProductIdentifier, .idempotencyKeyReused: return shop(app, note: nil, visit: visit)
    default: throw error
    }
  }

  private func shop(_ app: App, note: ShopNote?, visit: PageVisit) -> Response {
    responder.redirect(to: app.shopPath.appendingQuery(note.map { [("note", $0.rawValue)] } ?? []), visit)
  }

  private func owned(_ visit: PageVisit, in app: App) async throws -> OwnedProducts {
    guard let account = visit.account else { return .nothing }
    let customer = Customer(account: account.id.description, app: app.id)
    return try await orders.dependencies.read(for: customer.account) { [records = orders.records] transaction in
      try OwnedProducts(of: customer, orders: records, in: transaction)
    }
  }

  private func page(
    _ app: App, country: CountryCode, visit: PageVisit, owned: OwnedProducts, note: ShopNote?
  ) -> ShopPage {
    let sold = catalogue.catalogue(of: app.id)
    let (texts, isAccount) = (visit.texts, visit.account != nil)
    let items = sold.products.compactMap { product -> ShopPage.Item? in
      let message = ProductMessage(
        product, in: country, languages: [visit.look.language.rawValue], defaultLanguage: sold.defaultLanguage)
      return message.map { item(owned.offered($0), owned: owned, country: country, texts: texts) }
    }
    return ShopPage(
      appName: app.name, appInitial: app.initial, path: app.shopPath,
      notice: note.map { $0.text(texts, for: country) },
      accountRegion: isAccount ? texts(.shopLead, ["country": texts.name(country)]) : nil,
      country: country.alpha2, products: items,
      regions: isAccount ? [] : PageOption.regions(visit.look.language, chosen: country))
  }

  private func item(
    _ product: ProductMessage, owned: OwnedProducts, country: CountryCode, texts: Texts
  ) -> ShopPage.Item {
    let offer = product.introductoryOffer
    let sale = sale(product, owned: owned, country: country, texts: texts)
    return ShopPage.Item(
      id: product.id, title: product.title, description: product.description, kind: texts.kind(product.kind),
      price: product.price.formatted, rhythm: product.subscriptionPeriod.map { texts.rhythm($0) },
      offer: offer.map { texts.describe($0, of: product, renews: true) },
      ends: sale.owned == nil ? texts.term(of: product, with: offer, renews: true) : nil, sale: sale)
  }

  /// How a product is offered: an owned one with its receipt, a plan beside a running one with that one's end, any
  /// other with a button.
  private func sale(
    _ product: ProductMessage, owned: OwnedProducts, country: CountryCode, texts: Texts
  ) -> ShopPage.Sale {
    if let order = owned.order(of: product) {
      let until = order.expiresAt.map { texts(.shopUntil, ["date": texts.day($0, in: country).isolated]) }
      let token = orders.json.tokens.token(orderID: order.id)
      return .owned(until ?? texts[.shopOwned], receipt: Route.receiptPath(token))
    }
    if let order = owned.otherPlan(than: product), let end = order.expiresAt {
      let plan = order.product.message.title.isolated
      return .refused(texts(.shopOther, ["plan": plan, "date": texts.day(end, in: country).isolated]))
    }
    let subscribes: TextKey = product.kind == .autoRenewableSubscription ? .shopSubscribe : .shopBuy
    return .offered(
      product.introductoryOffer.flatMap { texts.startTrial($0) } ?? texts[subscribes],
      orderID: responder.random.uuid7(at: responder.clock.now()).lowercase)
  }
}

/// Why an order was refused and the buyer is redirected to the shop; the `note` in the shop's address.
enum ShopNote: String {
  /// The price was that of another region.
  case region
  /// It is not sold there, or not any more.
  case gone
  /// The account has another plan of the same subscription.
  case plan

  func text(_ texts: Texts, for country: CountryCode) -> String {
    switch self {
    case .region: texts(.shopMoved, ["country": texts.name(country)])
    case .gone: texts[.shopGone]
    case .plan: texts[.shopActive]
    }
  }
}
