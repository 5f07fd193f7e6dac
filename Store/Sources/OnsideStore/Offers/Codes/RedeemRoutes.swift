import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce

extension Route {
  static let redeemPage = Route(.get, "/redeem", by: .browser)
  static let redeem = Route(.post, "/redeem", by: .browser)
}

/// The page where a person redeems the code of an offer: typed there, or in the link that leads to it.
struct RedeemRoutes: RouteGroup {
  let responder: PageResponder
  let redemption: OfferCodeRedemption
  let apps: AppDirectory

  func addRoutes(to routes: StoreRoutes) {
    responder.on(.redeemPage, in: routes) { visit, request, context in
      let code = (request.queryFields["code"] ?? "").trimmingPrefix { $0.isWhitespace }
      guard !code.isEmpty else { return responder.respond(RedeemPage(code: ""), to: visit) }
      let typed = String(code.prefix(128))
      guard let account = visit.account else {
        return responder.logIn(to: "/redeem".appendingQuery([("code", typed)]), visit)
      }
      let found = try await redemption.look(
        at: typed, for: account.id.description,
        network: responder.source(request, context: context, for: visit).network,
        language: visit.look.language.rawValue)
      return try show(typed, found, visit: visit)
    }
    responder.on(.redeem, in: routes, admission: .newOrder) { visit, request, context in
      let form = try await responder.form(request, context: context, for: visit)
      guard let code = form.single("code"), let order = form.single("order").flatMap({ UUID(text: $0) }) else {
        throw PageProblem.form
      }
      guard let account = visit.account else {
        return responder.logIn(to: "/redeem".appendingQuery([("code", code)]), visit)
      }
      return try await redeem(
        code, as: order, account: account,
        network: responder.source(request, context: context, for: visit).network, visit: visit)
    }
  }

  private func redeem(
    _ code: String, as order: UUID, account: Account, network: String, visit: PageVisit
  ) async throws -> Response {
    do {
      let outcome = try await redemption.redeem(
        code, as: order, for: account.id.description, network: network, language: visit.look.language.rawValue)
      switch outcome {
      case .success(let id):
        return responder.redirect(to: "/pay/\(redemption.orders.json.tokens.token(orderID: id))", visit)
      case .failure(let refusal): return try show(code, .failure(refusal), visit: visit)
      }
    } catch let refusal as OfferCodeRefusal {
      return try show(code, .failure(refusal), visit: visit)
    } catch is OrderError {
      return try show(code, .failure(.notEligible), visit: visit)
    }
  }

  private func show(
    _ code: String, _ found: Result<RedeemableCode, OfferCodeRefusal>, visit: PageVisit
  ) throws(PageProblem) -> Response {
    switch found {
    case .success(let redeemable):
      return responder.respond(
        RedeemPage(
          code: code, found: .init(redeemable, app: apps.app(redeemable.batch.appID), order: order, visit.texts)),
        to: visit)
    case .failure(.wait(let seconds)): throw .wait(seconds: seconds)
    case .failure(let refusal):
      return responder.respond(
        RedeemPage(code: code, error: visit.texts[refusal.text]), to: visit, status: .unprocessableContent)
    }
  }

  private var order: UUID { responder.random.uuid7(at: responder.clock.now()) }
}

extension RedeemPage.Found {
  init(_ redeemable: RedeemableCode, app: App?, order: UUID, _ texts: Texts) {
    let product = redeemable.quote.product.message
    self.init(
      app: app?.name ?? redeemable.batch.appID, title: product.title, description: product.description,
      price: product.offers.first.map { texts.describe($0, of: product, renews: true) } ?? redeemable.quote.priceText,
      order: order.lowercase)
  }
}

extension OfferCodeRefusal {
  /// What the page says.
  var text: TextKey {
    switch self {
    case .unknown, .wait: .redeemUnknown
    case .over: .redeemOver
    case .usedUp: .redeemUsedUp
    case .used: .redeemUsed
    case .notEligible: .redeemNotEligible
    case .notSold: .redeemNotSold
    }
  }
}
