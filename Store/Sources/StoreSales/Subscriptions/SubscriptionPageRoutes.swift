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
  static let accountSubscriptionPage = Route(.get, "/account/subscriptions", by: .browser)
  static let accountSubscription = Route(.post, "/account/subscriptions", by: .browser)
}

/// The page of one subscription, on which its account changes the plan, pauses, and stops. The subscription is always
/// one of the account that is logged in: the address names the app and the group.
package struct SubscriptionPageRoutes: RouteGroup {
  /// What the page says above everything else, by the `note` of its address.
  enum Note: String {
    case on, off, planned, kept, paused, unpaused, resumed, method
    case agreed, declined
    /// Nothing was changed: the next payment is under way, or it is over.
    case busy
    /// Nothing was changed: the price is another one by now.
    case price
    /// Nothing was changed: the account has to choose a method of its own first.
    case ownMethod = "own_method"
  }

  /// What a form of the page does, by its field `action`.
  enum Action: String {
    /// Chooses another plan, or the present one again: `plan`.
    case plan
    /// Subscribes again with an offer: `plan`, `offer`.
    case offer
    /// Switches the renewal: `renewal` is `on` or `off`.
    case renewal
    /// Answers to a new price: `agrees` is `1` or `0`.
    case price
    /// Pauses for `pause` months; `0` takes a pause back, or ends it at the form's price.
    case pause
    /// Charges renewals to the saved method with the id `method`, an unpaid one at the form's price at once.
    case method
    /// Leads to the page on which a payment method is added.
    case card
  }

  package let responder: PageResponder
  package let subscriptions: SubscriptionService
  package let orders: OrderService
  package let payments: PaymentService
  package let apps: AppDirectory
  package let seal: AccountTokenSeal

  package init(
    responder: PageResponder, subscriptions: SubscriptionService, orders: OrderService, payments: PaymentService,
    apps: AppDirectory, seal: AccountTokenSeal
  ) {
    self.responder = responder
    self.subscriptions = subscriptions
    self.orders = orders
    self.payments = payments
    self.apps = apps
    self.seal = seal
  }

  func addRoutes(to routes: StoreRoutes) {
    responder.on(.accountSubscriptionPage, in: routes) { visit, request, _ in
      let query = request.queryFields
      guard let place = try Place(query, apps: apps) else { throw PageProblem.notFound }
      guard let account = visit.account else { return responder.logIn(to: place.path(), visit) }
      let current = try await subscriptions.current(of: account.id.description)
      guard let shown = current.first(where: { $0.subscription.key == place.key(of: account) }) else {
        guard let back = place.back else { return responder.redirect(to: "/account", visit) }
        let none = SubscriptionListPage(
          subscriptions: [], back: back.link(to: apps.app(place.app), texts: visit.texts))
        return responder.respond(none, to: visit)
      }
      return try await show(shown, at: place, account: account, note: query["note"].flatMap(Note.init), visit: visit)
    }
    responder.on(.accountSubscription, in: routes) { visit, request, context in
      let form = try await responder.form(request, context: context, for: visit)
      guard let place = try Place(form, apps: apps) else { throw PageProblem.form }
      guard let account = visit.account else { return responder.logIn(to: "/account", visit) }
      return try await change(place, as: form, account: account, visit: visit)
    }
  }

  /// Names a subscription of the account that is logged in.
  struct Place: Sendable {
    let app: String
    let group: String
    /// The app that has opened the page; nil for the account's own page.
    let back: PageReturn?

    init?(_ fields: FormFields, apps: AppDirectory) throws(PageProblem) {
      guard let app = fields.single("app"), let group = fields.single("group") else { return nil }
      let back = try PageReturn(fields, app: apps.app(app))
      (self.app, self.group, self.back) = (app, group, back.address == nil ? nil : back)
    }

    init(_ key: SubscriptionKey, back: PageReturn? = nil) {
      (app, group, self.back) = (key.app, key.group, back)
    }

    func key(of account: Account) -> SubscriptionKey {
      SubscriptionKey(account: account.id.description, app: app, group: group)
    }

    func path(_ note: Note? = nil) -> String {
      let note = note.map { [("note", $0.rawValue)] } ?? []
      return "/account/subscriptions".appendingQuery([("app", app), ("group", group)] + (back?.fields ?? []) + note)
    }

    /// The way to a payment page, which leads back to where this page does.
    func payPath(_ token: String) -> String { "/pay/\(token)\(back?.query ?? "")" }
  }

  private func change(
    _ place: Place, as form: FormFields, account: Account, visit: PageVisit
  ) async throws -> Response {
    let shown = form.single("price").flatMap { Money(plainText: $0) }
    let note: Note
    switch form.single("action").flatMap(Action.init) {
    case .plan:
      return try await choose(
        try form.value("plan"), shownPrice: shown, at: place, form: form, account: account, visit: visit)
    case .offer:
      return try await comeBack(
        to: try form.value("plan"), with: try form.value("offer"), shownPrice: shown, at: place, form: form, account,
        visit)
    case .renewal:
      let isOn = try form.flag("renewal", on: "on", off: "off")
      note = try await switchRenewal(on: isOn, shownPrice: shown, at: place, account: account)
    case .price:
      let accepts = try form.flag("agrees", on: "1", off: "0")
      note = try await answerPrice(accepts: accepts, shownPrice: shown, at: place, account: account)
    case .pause:
      guard let months = Int(try form.value("pause")) else { throw PageProblem.form }
      note = try await pause(months: months, shownPrice: shown, at: place, account: account)
    case .method:
      note = try await chooseMethod(try form.value("method"), shownPrice: shown, at: place, account: account)
    case .card: return try await addMethod(at: place, account: account, visit: visit)
    case nil: throw PageProblem.form
    }
    return responder.redirect(to: place.path(note), visit)
  }

  private func answerPrice(
    accepts: Bool, shownPrice: Money?, at place: Place, account: Account
  ) async throws -> Note {
    let hasAnswered = try await subscriptions.answerPrice(
      accepts: accepts, shownPrice: shownPrice, of: place.key(of: account))
    if hasAnswered { return accepts ? .agreed : .declined }
    let isAnswered = try await isAlready(at: place, account) { machine in
      // A price that was withdrawn since is not agreed to.
      guard !machine.isAskedAboutPrice else { return false }
      return accepts
        ? machine.autoRenews && machine.nextPrice == shownPrice : !machine.autoRenews || machine.pendingPrice == nil
    }
    if isAnswered { return accepts ? .agreed : .declined }
    guard accepts else { return .price }
    return try await needsOwnMethod(at: place, account) ? .ownMethod : .price
  }

  private func switchRenewal(
    on isOn: Bool, shownPrice: Money?, at place: Place, account: Account
  ) async throws -> Note {
    // Renewed again is agreed to at the price that the page shows.
    guard !isOn || shownPrice != nil else { return .price }
    let hasChanged = try await subscriptions.setAutoRenew(
      isOn, shownPrice: shownPrice, of: place.key(of: account))
    if hasChanged { return isOn ? .on : .off }
    if try await isAlready(at: place, account, { $0.autoRenews == isOn }) { return isOn ? .on : .off }
    let isRepriced = try await isAlready(at: place, account) { isOn && $0.nextPrice != shownPrice }
    if isRepriced { return .price }
    guard isOn else { return .busy }
    return try await needsOwnMethod(at: place, account) ? .ownMethod : .busy
  }

  private func chooseMethod(
    _ method: String, shownPrice: Money?, at place: Place, account: Account
  ) async throws -> Note {
    if try await subscriptions.setMethod(method, shownPrice: shownPrice, of: place.key(of: account)) { return .method }
    return try await isAlready(at: place, account) { $0.nextPrice != shownPrice } ? .price : .busy
  }

  /// Leads to the page of payment methods, which names the subscription while it needs one.
  private func addMethod(at place: Place, account: Account, visit: PageVisit) async throws -> Response {
    guard apps.app(place.app) != nil else { throw PageProblem.form }
    let customer = Customer(account: account.id.description, app: place.app)
    let path = try await responder.methodsPath(for: customer)
    return responder.redirect(to: path.appendingQuery([("app", place.app)] + (place.back?.fields ?? [])), visit)
  }

  /// Whether a subscription is already as a button wants it: the button was pressed twice.
  private func isAlready(
    at place: Place, _ account: Account, _ condition: (SubscriptionMachine) -> Bool
  ) async throws -> Bool {
    let current = try await subscriptions.current(of: account.id.description)
    return current.first { $0.subscription.key == place.key(of: account) }.map { condition($0.subscription.machine) }
      ?? false
  }

  private func needsOwnMethod(at place: Place, _ account: Account) async throws -> Bool {
    try await subscriptions.current(of: account.id.description)
      .contains { $0.subscription.key == place.key(of: account) && $0.needsOwnMethod }
  }

  private func pause(months: Int, shownPrice: Money?, at place: Place, account: Account) async throws -> Note {
    let key = place.key(of: account)
    guard months == 0 else {
      let isPlanned = try await subscriptions.pause(months: months, of: key)
      return isPlanned ? .paused : .busy
    }
    guard let shownPrice else {
      return try await subscriptions.dropPause(of: key) ? .unpaused : .busy
    }
    if try await subscriptions.resume(shownPrice: shownPrice, of: key) { return .resumed }
    if try await isAlready(at: place, account, { $0.openCharge != nil }) { return .resumed }
    return try await needsOwnMethod(at: place, account) ? .ownMethod : .price
  }

  private func choose(
    _ plan: String, shownPrice: Money?, at place: Place, form: FormFields, account: Account, visit: PageVisit
  ) async throws -> Response {
    let language = visit.look.language.rawValue
    let choice = try await subscriptions.choosePlan(
      plan, shownPrice: shownPrice, language: language, of: place.key(of: account))
    switch choice {
    case .planned: return responder.redirect(to: place.path(.planned), visit)
    case .kept: return responder.redirect(to: place.path(.kept), visit)
    case .repriced: return responder.redirect(to: place.path(.price), visit)
    case .needsMethod: return responder.redirect(to: place.path(.ownMethod), visit)
    case .refused: return responder.redirect(to: place.path(.busy), visit)
    case .bought: return try await buy(plan, at: place, form: form, account: account, visit: visit)
    }
  }

  /// Subscribes again with an offer, at the price beside its button.
  private func comeBack(
    to plan: String, with offer: String, shownPrice: Money?, at place: Place, form: FormFields, _ account: Account,
    _ visit: PageVisit
  ) async throws -> Response {
    let current = try await subscriptions.current(of: account.id.description)
      .first { $0.subscription.key == place.key(of: account) }
    let offered = try current.map {
      try subscriptions.returns(to: $0, for: account, language: visit.look.language.rawValue)
    }
    let isShown = offered?.contains {
      $0.product.message.id == plan && $0.offerID == offer && $0.price == shownPrice
    }
    guard isShown == true else { return responder.redirect(to: place.path(.price), visit) }
    return try await buy(plan, with: OrderOffer(id: offer), at: place, form: form, account: account, visit: visit)
  }

  /// Makes the order of a plan, and leads to its payment page.
  private func buy(
    _ plan: String, with offer: OrderOffer? = nil, at place: Place, form: FormFields, account: Account,
    visit: PageVisit
  ) async throws -> Response {
    // The form names the order that it makes: sent twice, it makes one.
    guard let id = form.single("order").flatMap({ UUID(text: $0) }) else { throw PageProblem.form }
    let customer = Customer(account: account.id.description, app: place.app)
    let given = try place.back.flatMap { try seal.token(of: $0, for: customer) }
    do {
      let request = OrderRequest(
        productID: plan, country: account.country,
        appAccountToken: try await orders.pageToken(of: place.key(of: account), given: given),
        language: visit.look.language.rawValue, offer: offer)
      let order = try await orders.create(request, id: id, for: customer)
      return responder.redirect(to: place.payPath(orders.json.tokens.token(orderID: order.id)), visit)
    } catch let error as OrderError where error.code != .rateLimited {
      return responder.redirect(to: place.path(.price), visit)
    }
  }

  private func show(
    _ current: CurrentSubscription, at place: Place, account: Account, note: Note?, visit: PageVisit
  ) async throws -> Response {
    let plans = try await subscriptions.plans(
      beside: current, for: account, language: visit.look.language.rawValue)
    let view = SubscriptionView(current, texts: visit.texts)
    var page = view.page(
      payAddress: current.unpaidOrder.map { place.payPath(orders.json.tokens.token(orderID: $0)) },
      receipt: current.lastOrder.price.isZero
        ? nil : Route.receiptPath(orders.json.tokens.token(orderID: current.lastOrder.id)))
    page.plans = plans.compactMap { plan in
      let id = responder.random.uuid7(at: responder.clock.now())
      return view.plan(plan, in: account.country, order: id)
    }
    try await addMethods(to: &page, of: current, view: view, visit: visit)
    if let back = place.back { page.leave(to: back, app: apps.app(place.app), texts: visit.texts) }
    page.plans += try subscriptions.returns(to: current, for: account, language: visit.look.language.rawValue)
      .compactMap {
        let id = responder.random.uuid7(at: responder.clock.now())
        return view.plan(returning: $0, in: account.country, order: id)
      }
    if let note { (page.notice, page.error) = note.words(current, texts: visit.texts) }
    // A payment page that is over leads on to the app, and is reached by a form.
    return responder.respond(page, to: visit, targets: place.back?.targets ?? [])
  }

  /// Adds the payment method of a subscription that can renew, and the saved ones that can take its place.
  private func addMethods(
    to page: inout SubscriptionPage, of current: CurrentSubscription, view: SubscriptionView, visit: PageVisit
  ) async throws {
    let (subscription, providers) = (current.subscription, payments.providers)
    guard subscription.machine.isSubscribed else { return }
    let context = visit.providerContext(payments.environment)
    let methods = try await payments.listedMethods(of: subscription.key.account).map(\.method)
    let options = methods.map { PageOption(value: $0.id, label: providers.name(of: $0, context)) }
    let present = options.first { $0.value == subscription.method }
    page.facts.append(.init(label: visit.texts[.methodFact], value: present?.label ?? visit.texts[.methodNone]))
    let chargeable = Set(methods.filter { $0.isSaved && providers.canCharge($0) }.map(\.id))
    page.methodChoice = view.methodChoice(
      options.filter { chargeable.contains($0.value) && $0.value != subscription.method })
  }
}

extension SubscriptionPageRoutes.Note {
  /// What the page says: what was done, or why nothing was.
  func words(_ current: CurrentSubscription, texts: Texts) -> (done: String?, error: String?) {
    switch self {
    case .on: (texts[.subscriptionResumed], nil)
    case .off: (texts[.subscriptionStopped], nil)
    case .planned: (texts[.planPlanned], nil)
    case .kept: (texts[.planKept], nil)
    case .paused: (texts[.pauseSet], nil)
    case .unpaused: (texts[.pauseDropped], nil)
    case .resumed: (texts[.pauseEnded], nil)
    case .method: (texts[current.subscription.machine.autoRenews ? .methodChosen : .methodChosenOff], nil)
    case .agreed: (texts[.priceAgreed], nil)
    case .declined: (texts[current.subscription.machine.autoRenews ? .priceKept : .subscriptionStopped], nil)
    case .busy: (nil, texts[.planBusy])
    case .price: (nil, texts[.planRepriced])
    case .ownMethod: (nil, texts[.methodOwn])
    }
  }
}

extension FormFields {
  /// The only value of a field that the form has.
  fileprivate func value(_ name: String) throws(PageProblem) -> String {
    guard let value = single(name) else { throw .form }
    return value
  }

  /// A field that has one of two values.
  fileprivate func flag(_ name: String, on: String, off: String) throws(PageProblem) -> Bool {
    let value = try value(name)
    guard value == on || value == off else { throw .form }
    return value == on
  }
}
