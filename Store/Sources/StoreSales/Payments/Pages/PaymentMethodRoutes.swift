import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
package import StoreAccounts
import StoreBase
import StorePayments
import StoreWeb

extension Route {
  static let methodsPage = Route(.get, "/methods/{token}", by: .browser)
  static let methodsChange = Route(.post, "/methods/{token}", by: .browser)
  static let methodsDone = Route(.post, "/methods/{token}/done", by: .browser)
  static let methodsSetupPage = Route(.get, "/methods/{token}/setup", by: .browser)
  static let methodsSetup = Route(.post, "/methods/{token}/setup", by: .browser)
}

/// The page of an account's payment methods, which an app opens for its user. The app knows the page's address as well.
/// Therefore only a browser in which the account is logged in sees the page.
package struct PaymentMethodRoutes: RouteGroup {
  package let responder: PageResponder
  package let logins: LoginService
  package let payments: PaymentService
  package let subscriptions: SubscriptionService
  package let apps: AppDirectory

  package init(
    responder: PageResponder, logins: LoginService, payments: PaymentService, subscriptions: SubscriptionService,
    apps: AppDirectory
  ) {
    self.responder = responder
    self.logins = logins
    self.payments = payments
    self.subscriptions = subscriptions
    self.apps = apps
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.paymentMethodsSession) { _, context in
      let claims = try context.requireClaims()
      let url = responder.address.url(path: try await responder.methodsPath(for: claims.customer))
        .appending(queryItems: [.init(name: "app", value: claims.customer.app)])
      return try .json(HostedPageMessage(url: url), status: .created)
    }
    onSession(.methodsPage, routes: routes) { session, query, visit in
      try await show(session, isRefused: query["refused"] != nil, for: visit)
    }
    onSession(.methodsChange, routes: routes, handler: change)
    onSession(.methodsDone, routes: routes) { session, _, visit in
      responder.redirect(to: session.back.location ?? LocalPath.home.text, visit)
    }
    onSession(.methodsSetupPage, routes: routes) { session, _, visit in try await showSetup(session, for: visit) }
    onSession(.methodsSetup, routes: routes) { session, form, visit in
      let outcome = try await payments.finishSetup(session.session, fields: form.providerFields)
      return answer(outcome, session: session, visit: visit)
    }
  }

  private struct Session: Sendable {
    let session: MethodsSession
    let back: PageReturn

    var account: String { session.account }

    /// With the app: a login that is cancelled leads back to it, and so does the page when its time is over.
    func path(_ step: String = "") -> String {
      "/methods/\(session.token)\(step)".appendingQuery([("app", session.app)] + back.fields)
    }
  }

  private typealias Handler = @Sendable (Session, FormFields, PageVisit) async throws -> Response

  private func onSession(_ route: Route, routes: StoreRoutes, handler: @escaping Handler) {
    responder.on(route, in: routes) { visit, request, context in
      let session = try await session(request, context: context)
      let form =
        route.method == .post
        ? try await responder.form(request, context: context, for: visit) : request.queryFields
      guard visit.account?.id.description == session.account else {
        try await responder.database.write(at: responder.clock.now()) {
          try MethodsSessionRecords.extend(session.session.token, in: $0)
        }
        return try await responder.logInAgain(to: session.path(), with: logins, visit)
      }
      return try await handler(session, form, visit)
    }
  }

  private func session(_ request: Request, context: StoreRequestContext) async throws -> Session {
    let token = context.parameters.get("token") ?? ""
    let now = responder.clock.now()
    let found = try await responder.database.read(at: now) { try MethodsSessionRecords.session(token, in: $0) }
    guard let found else {
      guard let app = request.queryFields.single("app").flatMap({ apps.app($0) }) else { throw PageProblem.gone }
      throw try PageReturn(request.queryFields, app: app).gone(to: app)
    }
    return Session(session: found, back: try PageReturn(request.queryFields, app: apps.app(found.app)))
  }

  private func change(_ session: Session, form: FormFields, visit: PageVisit) async throws -> Response {
    switch form["do"] {
    case "add":
      let choices = payments.providers.active.choices(context(of: visit)).choices
      guard let choice = choices.first(where: { $0.value == form.single("card") && $0.isSavable }) else {
        throw PageProblem.form
      }
      let outcome = try await payments.add(choice.value, fields: form.providerFields, session: session.session)
      return answer(outcome, session: session, visit: visit)
    case "remove": return try await remove(form["method"] ?? "", form: form, session: session, visit: visit)
    case "default": try await payments.prefer(form["method"] ?? "", of: session.account)
    default: throw PageProblem.form
    }
    return responder.redirect(to: session.path(), visit)
  }

  private func answer(_ outcome: MethodSetupOutcome, session: Session, visit: PageVisit) -> Response {
    switch outcome {
    case .saved: responder.redirect(to: session.path(), visit)
    case .needsAction: responder.redirect(to: session.path("/setup"), visit)
    case .refused:
      responder.redirect(to: session.path() + "&refused=1", visit)
    }
  }

  /// Shows what is to be done for a setup, unless the buyer comes back from where it was done.
  private func showSetup(_ session: Session, for visit: PageVisit) async throws -> Response {
    guard let setup = payments.setup(of: session.session) else {
      return responder.redirect(to: session.path(), visit)
    }
    let outcome = try await payments.finishSetup(session.session, fields: [:])
    guard outcome == .needsAction else { return answer(outcome, session: session, visit: visit) }
    let path = session.path("/setup")
    let request = SetupPageRequest(
      setup: setup, context: context(of: visit), action: path, returnAddress: responder.address.url(path: path))
    let page = try await payments.providers.active.setupPage(request)
    return responder.respond(page, to: visit, targets: session.back.targets)
  }

  /// Removes a method. While a subscription renews with it, a page asks first what becomes of the renewal.
  private func remove(
    _ method: String, form: FormFields, session: Session, visit: PageVisit
  ) async throws -> Response {
    let answer = form.single("replacement").map { chosen in
      MethodRemovalAnswer(
        replacement: chosen == MethodRemovalPage.end ? nil : chosen, statement: form.single("statement") ?? "")
    }
    switch try await payments.remove(method, of: session.account, answer: answer) {
    case .removed: return responder.redirect(to: session.path(), visit)
    case .unanswered:
      let error = answer == nil ? nil : visit.texts[.payChoose]
      return try await ask(about: method, error: error, session: session, visit: visit)
    case .changed:
      return try await ask(about: method, error: visit.texts[.planRepriced], session: session, visit: visit)
    }
  }

  /// Asks which method takes the place of one that is to be removed.
  private func ask(about id: String, error: String?, session: Session, visit: PageVisit) async throws -> Response {
    let uses = try await subscriptions.current(of: session.account)
      .filter { $0.method?.id == id && $0.subscription.machine.autoRenews }
    let (methods, context) = (try await payments.methods(of: session.account), context(of: visit))
    guard let removed = uses.first?.method else { return responder.redirect(to: session.path(), visit) }
    let others = methods.filter { $0.id != id && payments.providers.canCharge($0) }
    let page = MethodRemovalPage(
      heading: visit.texts(.methodRemoveTitle, ["card": payments.providers.name(of: removed, context).isolated]),
      error: error,
      uses: uses.map { use in
        let view = SubscriptionView(use, texts: visit.texts)
        return MethodRemovalPage.Use(
          name: visit.texts(
            .methodsUse, words(for: use.lastOrder.product.message.title, in: use.subscription.key.app)),
          state: view.state.text, stateClass: view.state.style, detail: view.lead, pays: view.paysAtOnce)
      },
      others: others.map { PageOption(value: $0.id, label: payments.providers.name(of: $0, context)) },
      method: id, statement: MethodRemovalAnswer.statement(of: uses.map(\.subscription)), action: session.path())
    return responder.respond(page, to: visit, targets: session.back.targets)
  }

  private func context(of visit: PageVisit) -> ProviderPageContext {
    visit.providerContext(payments.environment)
  }

  private func show(_ session: Session, isRefused: Bool, for visit: PageVisit) async throws -> Response {
    let (listed, context) = (try await payments.listedMethods(of: session.account), context(of: visit))
    let saved = listed.map(\.method).filter(\.isSaved)
    let methods = listed.map { known in
      let method = known.method
      let label = payments.providers.label(of: method, context)
      return PaymentMethodsPage.Method(
        id: method.id, name: label.name, note: label.note, isDefault: method.id == saved.first?.id,
        isSaved: method.isSaved, uses: names(of: known.uses, context))
    }
    let provider = payments.providers.active
    let offered = provider.choices(context)
    let references = Set(saved.map(\.reference))
    let missing = offered.choices.filter { choice in
      let method = choice.method.map { MethodReference(provider: provider.name, id: $0) }
      return choice.isSavable && method.map(references.contains) != true
    }
    let choices = missing.map { choice in
      PageOption(value: choice.value, label: choice.label.name, isChosen: choice == missing.first)
    }
    let page = PaymentMethodsPage(
      error: isRefused ? visit.texts[.payDeclined] : nil, methods: methods, choices: choices, legend: offered.legend,
      waiting: try await waiting(session, texts: visit.texts), action: session.path(),
      doneAction: session.path("/done"))
    return responder.respond(page, to: visit, targets: session.back.targets)
  }

  /// The names of the subscriptions that use a method; nil without any.
  private func names(of uses: [ListedMethod.Use], _ context: ProviderPageContext) -> String? {
    guard !uses.isEmpty else { return nil }
    return uses.map { context.texts(.methodsUse, words(for: $0.title, in: $0.appID)) }.joined(separator: " · ")
  }

  /// Links to the pages of the subscriptions that wait for a payment method: it is chosen there.
  private func waiting(_ session: Session, texts: Texts) async throws -> [PageLink] {
    try await payments.subscriptionsInNeed(of: session.account).map { known in
      let back = known.key.app == session.session.app ? session.back : nil
      return PageLink(
        label: texts(.methodsWaiting, words(for: known.title, in: known.key.app)),
        address: SubscriptionPageRoutes.Place(known.key, back: back).path())
    }
  }

  private func words(for title: String, in app: String) -> [String: String] {
    ["product": title.isolated, "app": (apps.app(app)?.name ?? app).isolated]
  }
}

extension PageResponder {
  /// Makes a short-lived address of the page of payment methods for a customer, and returns its path.
  ///
  /// - Throws: ``Problem/notAuthenticated`` without the account: an access token outlives it by minutes.
  func methodsPath(for customer: Customer) async throws -> String {
    let token = random.token(bytes: 24)
    try await database.write(at: clock.now()) { transaction in
      guard try AccountRecords.country(of: customer.account, in: transaction) != nil else {
        throw Problem.notAuthenticated
      }
      try MethodsSessionRecords.insert(token, for: customer, in: transaction)
    }
    return "/methods/\(token)"
  }
}
