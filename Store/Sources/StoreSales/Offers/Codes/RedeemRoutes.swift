import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
package import StoreAccounts
import StoreBase
import StoreWeb

extension Route {
  static let redeemPage = Route(.get, "/redeem", by: .browser)
  static let redeem = Route(.post, "/redeem", by: .browser)
  static let redeemScreen = Route(.get, "/redeem/{token}", by: .browser)
}

/// The page where a person redeems the code of an offer: typed there, or in the link that leads to it. An app opens it
/// for its user as a screen (`presentCodeRedemption`), for codes of its own offers.
package struct RedeemRoutes: RouteGroup {
  package let responder: PageResponder
  package let redemption: OfferCodeRedemption
  package let apps: AppDirectory
  package let screen: HostedScreen

  package init(responder: PageResponder, redemption: OfferCodeRedemption, apps: AppDirectory, screen: HostedScreen) {
    self.responder = responder
    self.redemption = redemption
    self.apps = apps
    self.screen = screen
  }

  /// How the page was opened.
  struct Origin: Sendable {
    /// The app that has opened it; nil for the store's own page.
    let app: App?
    /// The token of the app's screen, which hides the account's id from the app; nil for the store's own page.
    let token: String?
    /// The account of the token. Another account may not redeem here, because the app gets no purchase of it.
    let account: UUID?
    let back: PageReturn

    /// Reads the fields of the page. An expired token is accepted, because it only identifies
    /// the account here.
    init(_ fields: FormFields, of screen: HostedScreen) throws(PageProblem) {
      let app = fields.single("app").flatMap { screen.apps.app($0) }
      back = try PageReturn(fields, app: app)
      self.app = back.address == nil ? nil : app
      token = fields["screen"]
      account = token.flatMap { screen.tokens.read($0)?.id }
      if token != nil, account == nil { throw back.gone(to: app) }
    }

    init(_ opening: HostedScreen.Opening, of screen: HostedScreen) {
      (app, token, account, back) = (
        screen.apps.app(opening.app), opening.token, opening.account, opening.back
      )
    }

    /// What every form and address of the page repeats.
    var fields: [(String, String)] {
      (app.map { [("app", $0.id)] } ?? []) + (token.map { [("screen", $0)] } ?? []) + back.fields
    }

    /// Whether an account may redeem here.
    func isOpen(to other: Account) -> Bool { account == nil || account == other.id.uuid }

    func path(code: String? = nil) -> String {
      "/redeem".appendingQuery((code.map { [("code", $0)] } ?? []) + fields)
    }
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.redemptionSession) { try await screen.address($0, $1) }
    responder.on(.redeemScreen, in: routes) { visit, request, context in
      let opening = try screen.opening(request, context: context)
      guard visit.account?.id.uuid == opening.account else { return try await screen.logIn(to: opening, visit) }
      return responder.redirect(to: Origin(opening, of: screen).path(), visit)
    }
    responder.on(.redeemPage, in: routes) { try await look(at: $1, context: $2, visit: $0) }
    responder.on(.redeem, in: routes, admission: .newOrder) { try await take($1, context: $2, visit: $0) }
  }

  private func look(at request: Request, context: StoreRequestContext, visit: PageVisit) async throws -> Response {
    let origin = try Origin(request.queryFields, of: screen)
    let code = (request.queryFields["code"] ?? "").trimmingPrefix { $0.isWhitespace }
    guard !code.isEmpty else { return show(RedeemPage(code: ""), from: origin, visit: visit) }
    let typed = String(code.prefix(128))
    guard let account = visit.account, origin.isOpen(to: account) else {
      return try await logIn(to: origin.path(code: typed), visit)
    }
    let found = try await redemption.look(
      at: typed, for: account.id.description, in: origin.app?.id,
      network: responder.source(request, context: context, for: visit).network,
      language: visit.look.language.rawValue)
    return show(typed, found, from: origin, visit: visit)
  }

  private func take(_ request: Request, context: StoreRequestContext, visit: PageVisit) async throws -> Response {
    let form = try await responder.form(request, context: context, for: visit)
    let origin = try Origin(form, of: screen)
    guard let code = form.single("code"), let order = form.single("order").flatMap({ UUID(text: $0) }) else {
      throw PageProblem.form
    }
    guard let account = visit.account, origin.isOpen(to: account) else {
      return try await logIn(to: origin.path(code: code), visit)
    }
    return try await redeem(
      code, as: order, account: account, from: origin,
      network: responder.source(request, context: context, for: visit).network, visit: visit)
  }

  /// A login that leads back; of another account when the one that is logged in is not meant.
  private func logIn(to path: String, _ visit: PageVisit) async throws -> Response {
    guard visit.account != nil else { return responder.logIn(to: path, visit) }
    return try await responder.logInAgain(to: path, with: screen.logins, visit)
  }

  private func redeem(
    _ code: String, as order: UUID, account: Account, from origin: Origin, network: String, visit: PageVisit
  ) async throws -> Response {
    let customer = origin.app.map { Customer(account: account.id.description, app: $0.id) }
    let token = try customer.flatMap { try screen.seal.token(of: origin.back, for: $0) }
    do {
      let outcome = try await redemption.redeem(
        code, as: order, for: account.id.description, in: origin.app?.id, appAccountToken: token, network: network,
        language: visit.look.language.rawValue)
      switch outcome {
      case .success(let id):
        let token = redemption.orders.json.tokens.token(orderID: id)
        return responder.redirect(to: "/pay/\(token)\(origin.back.query)", visit)
      case .failure(let refusal): return show(code, .failure(refusal), from: origin, visit: visit)
      }
    } catch let refusal as OfferCodeRefusal {
      return show(code, .failure(refusal), from: origin, visit: visit)
    } catch let error as OrderError where error.code != .rateLimited {
      return show(code, .failure(.notEligible), from: origin, visit: visit)
    }
  }

  private func show(
    _ code: String, _ found: Result<RedeemableCode, OfferCodeRefusal>, from origin: Origin, visit: PageVisit
  ) -> Response {
    switch found {
    case .success(let redeemable):
      let app = apps.app(redeemable.batch.appID)
      let order = responder.random.uuid7(at: responder.clock.now())
      let found = RedeemPage.Found(redeemable, app: app, order: order, visit.texts)
      return show(RedeemPage(code: code, found: found), from: origin, visit: visit)
    case .failure(let refusal):
      let page = RedeemPage(code: code, error: refusal.words(visit.texts, apps: apps))
      guard case .wait(let seconds) = refusal else {
        return show(page, from: origin, visit: visit, status: .unprocessableContent)
      }
      return show(page, from: origin, visit: visit, status: .tooManyRequests).retryable(after: seconds)
    }
  }

  private func show(
    _ page: RedeemPage, from origin: Origin, visit: PageVisit, status: HTTPResponse.Status = .ok
  ) -> Response {
    var page = page
    page.hiddenFields = [HiddenField](origin.fields)
    page.otherAddress = origin.path()
    page.back = origin.back.link(to: origin.app, texts: visit.texts)
    // A payment page that is over leads on to the app, and is reached by a form.
    return responder.respond(page, to: visit, status: status, targets: origin.back.targets)
  }
}

extension RedeemPage.Found {
  init(_ redeemable: RedeemableCode, app: App?, order: UUID, _ texts: Texts) {
    let product = redeemable.product
    self.init(
      app: app?.name ?? redeemable.batch.appID, title: product.title, description: product.description,
      price: redeemable.offer.map { texts.describe($0, of: product, renews: true) } ?? redeemable.priceText,
      order: order.lowercase)
  }
}

extension OfferCodeRefusal {
  /// What the page says.
  func words(_ texts: Texts, apps: AppDirectory) -> String {
    switch self {
    case .unknown: texts[.redeemUnknown]
    case .over: texts[.redeemOver]
    case .usedUp: texts[.redeemUsedUp]
    case .used: texts[.redeemUsed]
    case .notEligible: texts[.redeemNotEligible]
    case .notSold: texts[.redeemNotSold]
    case .otherApp(let app): texts(.redeemOtherApp, ["app": (apps.app(app)?.name ?? app).isolated])
    case .wait(let seconds): texts(.triesText, ["wait": texts.wait(seconds)])
    }
  }
}
