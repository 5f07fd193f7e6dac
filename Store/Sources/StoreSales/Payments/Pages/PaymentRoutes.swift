import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
package import StoreAccounts
import StoreBase
import StorePayments
import StoreWeb

extension Route {
  static let paymentPage = Route(.get, "/pay/{token}", by: .browser)
  static let paymentSubmit = Route(.post, "/pay/{token}", by: .browser)
  static let paymentCancel = Route(.post, "/pay/{token}/cancel", by: .browser)
  static let paymentRenewal = Route(.post, "/pay/{token}/renewal", by: .browser)
  static let secondStepPage = Route(.get, "/pay/{token}/second-step", by: .browser)
  static let secondStepAnswer = Route(.post, "/pay/{token}/second-step", by: .browser)
  static let paymentReturn = Route(.get, "/pay/{token}/return", by: .browser)
}

/// The payment pages of an order. The token in the address gives access to them; saved cards need the account's login.
package struct PaymentRoutes: RouteGroup {
  package let responder: PageResponder
  package let payments: PaymentService
  package let logins: LoginService
  package let apps: AppDirectory
  package let storeName: String
  /// The header field in which a proxy names the country of the client's network.
  package let countryHeader: String?

  package init(
    responder: PageResponder, payments: PaymentService, logins: LoginService, apps: AppDirectory, storeName: String,
    countryHeader: String?
  ) {
    self.responder = responder
    self.payments = payments
    self.logins = logins
    self.apps = apps
    self.storeName = storeName
    self.countryHeader = countryHeader
  }

  var provider: any PaymentProvider { payments.providers.active }

  /// One request for a page of an order.
  struct PaymentVisit: Sendable {
    let token: String
    let order: PaymentPage
    let app: App?
    let back: PageReturn
    let visit: PageVisit
    let environment: StoreEnvironment

    var texts: Texts { visit.texts }
    var appName: String { app?.name ?? order.appID }
    /// Whether the browser is logged in to the account that pays. The address alone, which the app knows too, must not
    /// be enough to see, charge or save a card.
    var isOwners: Bool { visit.account?.id.description == order.accountID }
    /// True if the browser may go on with the payment that waits. Another person's card must not become the account's.
    var mayContinue: Bool { isOwners || !order.awaitsAccount }
    var savedMethods: [SavedPaymentMethod] { isOwners ? order.savedMethods : [] }

    /// What the button says that pays.
    var submitLabel: String {
      order.offer.flatMap { texts.startTrial($0) } ?? texts(.paySubmit, ["price": order.priceText.isolated])
    }

    /// What the provider knows of the page.
    var context: ProviderPageContext {
      ProviderPageContext(
        texts: texts, theme: visit.look.theme, environment: environment,
        charge: .init(orderID: order.orderID, amount: order.price, country: order.country))
    }

    func path(_ step: String = "") -> String { "/pay/\(token)\(step)\(back.query)" }
    var shopPath: String { PaymentRoutes.shopPath(app) }
  }

  /// The note on the page of an open order about the payment attempt before.
  enum Remark: Sendable {
    case none
    /// The method was refused. None is preselected, so that the buyer does not send the same one again by mistake.
    case declined
    /// The provider rejects the charge with every method.
    case unchargeable
    case unchosen
    case repriced(from: Money, chosen: String?)
  }

  /// The shop of an app; the front page for one that is no longer sold here.
  static func shopPath(_ app: App?) -> String {
    app?.shopPath ?? LocalPath.home.text
  }

  func addRoutes(to routes: StoreRoutes) {
    onPayment(.paymentPage, routes: routes) { payment, request, _ in
      // A renewal whose bank asks for the buyer: that comes first, not another card.
      if payment.order.isRenewal, payment.order.awaitsSecondStep, payment.mayContinue,
        request.queryFields["declined"] == nil
      {
        return responder.redirect(to: payment.path("/second-step"), payment.visit)
      }
      if payment.order.isOwnedPlan {
        let renewal = try await payments.endOwnedPlan(payment.token)
        return renewal == .ordinary ? try await again(payment, remark: .none) : try await leave(payment, after: renewal)
      }
      return try await show(payment, remark: request.queryFields["declined"] == nil ? .none : .declined)
    }
    onPayment(.paymentReturn, routes: routes, handler: comeBack)
    onPayment(.paymentSubmit, routes: routes, handler: pay)
    onPayment(.paymentCancel, routes: routes, handler: cancel)
    onPayment(.paymentRenewal, routes: routes, handler: renew)
    onPayment(.secondStepPage, routes: routes) { payment, _, _ in
      guard payment.mayContinue else { return responder.redirect(to: payment.path(), payment.visit) }
      try await payments.refresh(payment.token)
      return try await secondStep(try await refreshed(payment))
    }
    onPayment(.secondStepAnswer, routes: routes, handler: answerSecondStep)
  }

  private typealias Handler = @Sendable (PaymentVisit, Request, StoreRequestContext) async throws -> Response

  private func onPayment(_ route: Route, routes: StoreRoutes, handler: @escaping Handler) {
    responder.on(route, in: routes) { visit, request, context in
      try await handler(try await payment(visit, request: request, context: context), request, context)
    }
  }

  private func payment(_ visit: PageVisit, request: Request, context: StoreRequestContext) async throws -> PaymentVisit
  {
    let token = context.parameters.get("token") ?? ""
    let order = try await page(token)
    // Written before the page is sent, so that the cancel request of a closed screen cannot end the order in between.
    if order.state == .open, !order.isPageOpened { try await payments.pageOpened(token) }
    let app = apps.app(order.appID)
    let back = try PageReturn(request.queryFields, app: app)
    return PaymentVisit(
      token: token, order: order, app: app, back: back, visit: visit.speaking(order.language, unless: request),
      environment: payments.environment)
  }

  private func page(_ token: String) async throws -> PaymentPage {
    guard let order = try await payments.page(token) else { throw PageProblem.notFound }
    return order
  }

  // MARK: Answers

  private func pay(_ payment: PaymentVisit, request: Request, context: StoreRequestContext) async throws -> Response {
    let form = try await responder.form(request, context: context, for: payment.visit)
    guard let shown = form.single("price").flatMap({ Money(plainText: $0) }) else { throw PageProblem.form }
    guard let choice = choice(form, of: payment) else {
      return try await show(payment, remark: .unchosen)
    }
    let network = request.networkCountry(in: countryHeader)
    let outcome = try await payments.pay(
      payment.token, with: choice, shownPrice: shown, isOwners: payment.isOwners, network: network)
    switch outcome {
    case .declined: return try await again(payment, remark: .declined)
    case .unchargeable: return try await again(payment, remark: .unchargeable)
    case .unknownMethod: return try await again(payment, remark: .unchosen)
    case .priceChanged: return try await again(payment, remark: .repriced(from: shown, chosen: form["method"]))
    case .secondStep: return responder.redirect(to: payment.path("/second-step"), payment.visit)
    case .paid, .pending, .storefrontChanged, .closed: return try await goOn(payment)
    }
  }

  /// A bank has sent the browser back, or the page looks whether the money has come.
  private func comeBack(
    _ payment: PaymentVisit, request: Request, context: StoreRequestContext
  ) async throws -> Response {
    guard payment.order.awaitsSecondStep else { return try await show(payment) }
    try await payments.refresh(payment.token)
    return try await show(try await refreshed(payment))
  }

  /// Switches the renewal of the order's running plan on. Only the account's login can agree to it.
  private func renew(_ payment: PaymentVisit, request: Request, context: StoreRequestContext) async throws -> Response {
    let form = try await responder.form(request, context: context, for: payment.visit)
    guard payment.isOwners else {
      return try await responder.logInAgain(to: payment.path(), with: logins, payment.visit)
    }
    guard let shown = form.single("price").flatMap({ Money(plainText: $0) }) else { throw PageProblem.form }
    let renewal = try await payments.renewPlan(payment.token, shownPrice: shown)
    guard case .repriced = renewal else { return try await leave(payment, after: renewal) }
    return try await again(payment, remark: .repriced(from: shown, chosen: nil))
  }

  /// Redirects as from a paid order if the plan is renewed; else to the page that states the next event of the plan.
  private func leave(_ payment: PaymentVisit, after renewal: PlanRenewal) async throws -> Response {
    guard renewal == .unchanged else { return try await goOn(payment) }
    return responder.redirect(to: Route.receiptPath(payment.token), payment.visit)
  }

  private func cancel(_ payment: PaymentVisit, request: Request, context: StoreRequestContext) async throws -> Response
  {
    _ = try await responder.form(request, context: context, for: payment.visit)
    let isGivenUp = try await payments.cancel(payment.token)
    if let leave = leaveUnpaid(payment) { return responder.redirect(to: leave, payment.visit) }
    return try await goOn(payment, isGivenUp: isGivenUp)
  }

  /// Where a buyer goes who does not pay a subscription's next period now: its order waits on. To the page of the
  /// subscription, where the buyer came from; who is not its owner, to the app.
  private func leaveUnpaid(_ payment: PaymentVisit) -> String? {
    guard payment.order.isRenewal, payment.order.state == .open, let group = payment.order.product.subscriptionGroupID
    else { return nil }
    guard payment.isOwners else {
      return payment.back.location(order: payment.order.orderID, outcome: "cancelled") ?? payment.shopPath
    }
    return "/account/subscriptions".appendingQuery(
      [("app", payment.order.appID), ("group", group)] + payment.back.fields)
  }

  private func answerSecondStep(
    _ payment: PaymentVisit, request: Request, context: StoreRequestContext
  ) async throws -> Response {
    let form = try await responder.form(request, context: context, for: payment.visit)
    guard form["answer"] == "approve" else {
      let address = payment.path() + (payment.back.query.isEmpty ? "?" : "&") + "declined=1"
      return responder.redirect(to: address, payment.visit)
    }
    // The money may have been moved on the page: what the provider has comes before what stands in the way of a charge.
    try await payments.refresh(payment.token)
    switch try await payments.confirmSecondStep(payment.token, fields: form.providerFields) {
    case .declined, .unknownMethod: return try await again(payment, remark: .declined)
    case .unchargeable: return try await again(payment, remark: .unchargeable)
    case .priceChanged: return try await again(payment, remark: .repriced(from: payment.order.price, chosen: nil))
    case .secondStep: return responder.redirect(to: payment.path("/second-step"), payment.visit)
    case .paid, .pending, .storefrontChanged, .closed: return try await goOn(payment)
    }
  }

  /// Redirects from a paid or cancelled order to the app, when it has a return address, else to the order's page.
  ///
  /// - Parameter isGivenUp: whether the buyer has given the order up, also one that is a duplicate since.
  private func goOn(_ payment: PaymentVisit, isGivenUp: Bool = false) async throws -> Response {
    let now = try await refreshed(payment)
    let outcome: String? =
      switch now.order.state {
      case .paid: isGivenUp ? "cancelled" : "paid"
      case .cancelled: now.order.cancelReason == .user ? "cancelled" : nil
      case .open, .processing: nil
      }
    if let outcome, let location = now.back.location(order: now.order.orderID, outcome: outcome) {
      return responder.redirect(to: location, now.visit)
    }
    return responder.redirect(to: now.path("/return"), now.visit)
  }

  private func again(_ payment: PaymentVisit, remark: Remark) async throws -> Response {
    try await show(try await refreshed(payment), remark: remark)
  }

  private func refreshed(_ payment: PaymentVisit) async throws -> PaymentVisit {
    return PaymentVisit(
      token: payment.token, order: try await page(payment.token), app: payment.app, back: payment.back,
      visit: payment.visit, environment: payment.environment)
  }

  private func choice(_ form: FormFields, of payment: PaymentVisit) -> PaymentChoice? {
    guard let method = form.single("method") else { return nil }
    // A subscription renews only if its payment page stated the renewal. The page of a renewal states it to the account
    // alone.
    let statesRenewal =
      form["renews"] != nil && payment.order.product.renews && (payment.isOwners || !payment.order.isRenewal)
    if let known = payment.savedMethods.first(where: { "saved_\($0.id)" == method }) {
      return .saved(known.id, keep: statesRenewal)
    }
    let offered = provider.choices(payment.context).choices.first { Self.formValue(of: $0) == method }
    guard let offered else { return nil }
    // The page always says it of a trial: without it nobody could be charged afterwards.
    if payment.order.price.isZero, payment.order.product.renews, offered.isSavable, !statesRenewal { return nil }
    let isSaved = payment.isOwners && offered.isSavable && form["remember"] != nil
    return .offered(
      offered.value, fields: form.providerFields, save: isSaved, keep: statesRenewal && offered.isSavable)
  }

  /// The value of a choice in the form, where saved methods stand beside the provider's choices.
  static func formValue(of choice: PaymentMethodChoice) -> String { "card_\(choice.value)" }
}

extension FormFields {
  /// What a provider's own fields have sent.
  var providerFields: [String: String] {
    names.filter { $0.hasPrefix("provider_") }.reduce(into: [:]) { $0[$1] = self[$1] }
  }
}
