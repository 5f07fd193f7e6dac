import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
package import StoreAccounts
package import StoreBase
import StoreWeb

extension Route {
  static let accountRefundPage = Route(.get, "/account/purchases/{id}/refund", by: .browser)
  static let accountRefund = Route(.post, "/account/purchases/{id}/refund", by: .browser)
  static let refundPage = Route(.get, "/refund/{token}", by: .browser)
  static let refundAsk = Route(.post, "/refund/{token}", by: .browser)
}

/// The page on which a buyer asks for a refund. A browser in which the account is logged in reaches it from the account
/// page. An app opens it by an address that is good for some minutes and needs no login: the app that sold the purchase
/// could only have its own sale refunded with it. What the buyer wrote before is shown to the account's own browser
/// only.
package struct RefundPageRoutes: RouteGroup {
  package let responder: PageResponder
  package let requests: BuyerRefundRequestService
  package let orders: OrderService
  package let apps: AppDirectory
  package let tokens: VersionedKey<HostedPageToken>

  package init(
    responder: PageResponder, requests: BuyerRefundRequestService, orders: OrderService, apps: AppDirectory,
    tokens: VersionedKey<HostedPageToken>
  ) {
    self.responder = responder
    self.requests = requests
    self.orders = orders
    self.apps = apps
    self.tokens = tokens
  }

  /// A page of one purchase, for one request.
  struct Place: Sendable {
    let purchase: BuyerRefundRequestService.Purchase
    /// The page's own address.
    let path: String
    let back: PageLink?
    let isOwner: Bool

    var order: Order { purchase.order }
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.orderRefundPage) { _, context in
      let order = try await orders.order(try context.orderID(), of: try context.requireClaims().customer)
      let token = tokens.token(of: order.id, now: responder.clock.now())
      return try .json(HostedPageMessage(url: responder.address.url(path: "/refund/\(token)")), status: .created)
    }
    onAccount(.accountRefundPage, in: routes) { place, _, visit in show(place, for: visit) }
    onAccount(.accountRefund, in: routes, handler: ask)
    onAddress(.refundPage, in: routes) { place, _, visit in show(place, for: visit) }
    onAddress(.refundAsk, in: routes, handler: ask)
  }

  private typealias Handler = @Sendable (Place, FormFields, PageVisit) async throws -> Response

  private func onAccount(_ route: Route, in routes: StoreRoutes, handler: @escaping Handler) {
    responder.on(route, in: routes) { visit, request, context in
      let form = try await fields(request, of: route, context: context, for: visit)
      guard let id = context.parameters.get("id").flatMap({ UUID(text: $0) }) else { throw PageProblem.notFound }
      let path = "/account/purchases/\(id.lowercase)/refund"
      guard let account = visit.account else { return responder.logIn(to: path, visit) }
      guard let purchase = try await requests.purchase(id), purchase.order.accountID == account.id.description else {
        throw PageProblem.notFound
      }
      let back = PageLink(label: visit.texts[.accountTitle], address: "/account")
      return try await handler(Place(purchase: purchase, path: path, back: back, isOwner: true), form, visit)
    }
  }

  private func onAddress(_ route: Route, in routes: StoreRoutes, handler: @escaping Handler) {
    responder.on(route, in: routes) { visit, request, context in
      let token = context.parameters.get("token") ?? ""
      guard let known = tokens.read(token), let purchase = try await requests.purchase(known.id) else {
        throw PageProblem.gone
      }
      let app = apps.app(purchase.order.appID)
      let back = try PageReturn(request.queryFields, app: app)
      guard responder.clock.now() < known.end else { throw back.gone(to: app) }
      let form = try await fields(request, of: route, context: context, for: visit)
      let place = Place(
        purchase: purchase, path: "/refund/\(token)\(back.query)", back: back.link(to: app, texts: visit.texts),
        isOwner: visit.account?.id.description == purchase.order.accountID)
      return try await handler(place, form, visit)
    }
  }

  private func fields(
    _ request: Request, of route: Route, context: StoreRequestContext, for visit: PageVisit
  ) async throws -> FormFields {
    route.method == .post ? try await responder.form(request, context: context, for: visit) : request.queryFields
  }

  private func ask(_ place: Place, form: FormFields, visit: PageVisit) async throws -> Response {
    let words = form["note"] ?? ""
    let reason = form.single("reason").flatMap { BuyerRefundRequest.Reason(rawValue: $0) }
    let entry = RefundPage.Entry(reason: reason, note: words)
    guard let reason else { return show(place, for: visit, entry: entry, reasonError: visit.texts[.refundChoose]) }
    do {
      let note = try BuyerRefundNote(words)
      try await requests.ask(for: place.order.id, of: place.order.accountID, reason: reason, note: note)
    } catch BuyerRefundRequestError.noteTooLong {
      return show(place, for: visit, entry: entry, noteError: visit.texts[.refundNoteTooLong])
    } catch is BuyerRefundRequestError {
      // It was decided or refunded meanwhile: the page says so.
    }
    return responder.redirect(to: place.path, visit)
  }

  private func show(
    _ place: Place, for visit: PageVisit, entry: RefundPage.Entry? = nil, reasonError: String? = nil,
    noteError: String? = nil
  ) -> Response {
    let (texts, order, request) = (visit.texts, place.order, place.purchase.request)
    let mayAsk = place.purchase.isRefundable && (request == nil || request?.state == .waiting)
    let kept = place.isOwner ? request.map { RefundPage.Entry(reason: $0.reason, note: $0.note) } : nil
    let form = RefundPage.Form(
      entry ?? kept, isChange: request != nil, action: place.path, reasonError: reasonError, noteError: noteError,
      texts: texts)
    let page = RefundPage(
      heading: texts[request == nil ? .refundAsk : .refundRequest],
      state: Self.state(of: place.purchase, texts: texts), isSent: request?.state == .waiting,
      product: order.product.message.title, quantity: order.quantityText, price: order.priceText,
      date: texts.day(order.paidAt ?? order.createdAt, in: order.country), form: mayAsk ? form : nil, back: place.back)
    return responder.respond(page, to: visit, status: page.hasError ? .unprocessableContent : .ok)
  }

  /// What became of the request, in words; nil when the buyer may ask and has not.
  private static func state(of purchase: BuyerRefundRequestService.Purchase, texts: Texts) -> String? {
    let order = purchase.order
    guard let request = purchase.request else { return purchase.isRefundable ? nil : texts[.refundNothing] }
    let key: TextKey =
      switch request.state {
      case .waiting: .refundWaiting
      case .granted: .refundGranted
      case .declined: .refundDeclined
      }
    return texts(key, ["date": texts.day(request.decidedAt ?? request.askedAt, in: order.country).isolated])
  }
}
