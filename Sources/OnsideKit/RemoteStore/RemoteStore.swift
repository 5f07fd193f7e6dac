package import Foundation
import Logging
package import OnsideAPI
package import OnsideCommerce

/// The store over HTTP.
package final class RemoteStore: Sendable {
  let connection: StoreConnection
  let endpoint: TokenEndpoint
  let session: RemoteSession
  let file: SessionFile
  let pendingLogin: PendingLoginFile
  /// The device that consumables are delivered on.
  let installation: Installation
  let dependencies: Dependencies
  let unreadLog = UnreadLog()

  /// A store at an address, for one app.
  package init(store: URL, app: String, dependencies: Dependencies, transport: (any HTTPTransport)? = nil) {
    self.dependencies = dependencies
    connection = StoreConnection(
      store: store, app: app, transport: transport ?? URLSessionTransport(sleep: dependencies.sleep))
    endpoint = TokenEndpoint(connection)
    installation = Installation(dependencies)
    let seal = TokenSeal(app: app, dependencies: dependencies)
    file = SessionFile(seal: seal, dependencies: dependencies)
    pendingLogin = PendingLoginFile(seal: seal, dependencies: dependencies)
    let vault = SessionVault(file: file, store: store, app: app, logger: dependencies.logger)
    session = RemoteSession(vault: vault, file: file, endpoint: endpoint, dependencies: dependencies)
    if dependencies.secrets != nil { Task(priority: .utility) { try? await seal.prepare(.openSilently) } }
  }

  var vault: SessionVault { session.vault }
  var logger: Logger { dependencies.logger }

  /// Makes a call for the account; a refused token is refreshed, and the call made again, once.
  func authorized<Answer: Sendable>(
    _ call: StoreConnection.Call, _ send: (StoreConnection.Call) async throws(StoreError) -> Answer
  ) async throws(StoreError) -> Answer {
    var call = call
    let token = try await session.token()
    call.token = token
    do {
      return try await send(call)
    } catch {
      guard error == .notSignedIn else { throw error }
    }
    call.token = try await session.token(insteadOf: token)
    do {
      return try await send(call)
    } catch {
      guard error == .notSignedIn else { throw error }
      throw .internalError("expected the store to take a token that it has just issued, got 401 from \(call.path)")
    }
  }

  func authorizedValue<Answer: Decodable & Sendable>(
    _ call: StoreConnection.Call, as type: Answer.Type = Answer.self
  ) async throws(StoreError) -> Answer {
    try await authorized(call) { call throws(StoreError) in try await connection.value(call) }
  }

  func authorizedAnswer(_ call: StoreConnection.Call) async throws(StoreError) -> Data {
    try await authorized(call) { call throws(StoreError) in try await connection.answer(call) }
  }

  /// Shows a page.
  func show(
    _ screen: OnsideScreen, on screens: any ScreenPresenter, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws(StoreError) -> ScreenOutcome {
    try await showing(screen, logger: logger) { try await screens.present(screen, page: page) }
  }
}

extension RemoteStore: Store {
  package func products(
    _ identifiers: [String], country: CountryCode?, languages: [String]
  ) async throws(StoreError) -> ProductsMessage {
    var call = StoreConnection.Call(.products)
    call.query = identifiers.map { (name: "id", value: $0) }
    if let country { call.query.append((name: "country", value: country.alpha2)) }
    if !languages.isEmpty { call.query.append((name: "language", value: languages.joined(separator: ","))) }
    let message = try await products(call)
    unreadLog.note(message.unread, kind: "product", logger: logger)
    for product in message.products {
      unreadLog.note(product.unreadOffers, kind: "offer of \(product.id)", logger: logger)
    }
    return message
  }

  private func products(_ call: StoreConnection.Call) async throws(StoreError) -> ProductsMessage {
    guard vault.current != nil else { return try await connection.value(call) }
    do {
      return try await authorizedValue(call)
    } catch {
      // The session has just ended; products need none.
      guard error == .notSignedIn else { throw error }
      return try await connection.value(call)
    }
  }

  package func offerings() async throws(StoreError) -> OfferingsMessage {
    try await connection.value(StoreConnection.Call(.offerings))
  }

  package func makeOrder(_ id: OrderID, request: OrderRequest) async throws(StoreError) -> OrderMessage {
    var call = try await fromDevice(StoreConnection.Call(.createOrder))
    call.headers[WireHeader.idempotencyKey] = id.description
    call.body = .json(request)
    return try await authorizedValue(call)
  }

  package func order(_ id: OrderID) async throws(StoreError) -> OrderMessage {
    try await authorizedValue(fromDevice(StoreConnection.Call(.order, path: Route.order.path(id.description))))
  }

  package func cancelOrder(_ id: OrderID, because reason: CancelReason) async throws(StoreError) -> OrderMessage {
    var call = try await fromDevice(StoreConnection.Call(.cancelOrder, path: Route.cancelOrder.path(id.description)))
    call.query = [(name: "reason", value: reason.rawValue)]
    return try await authorizedValue(call)
  }

  package func claimOrder(_ id: OrderID) async throws(StoreError) -> OrderMessage {
    try await authorizedValue(
      fromDevice(StoreConnection.Call(.claimOrder, path: Route.claimOrder.path(id.description))))
  }

  package func presentPayment(
    of order: OrderMessage, on screens: any ScreenPresenter
  ) async throws(StoreError) -> PaymentScreenEnd {
    guard let page = order.paymentURL else {
      throw .internalError("expected payment_url in the open order \(order.id), got none")
    }
    switch try await present(.payment, page: page, on: screens) {
    case .redirected: return .returned
    case .dismissed: return screens.seesPagesClose ? .closed : .unseen
    }
  }

  /// The cursor that is answered holds more than the store's: see ``SyncBookmark``.
  package func sync(since cursor: String?, wait: Int) async throws(StoreError) -> SyncMessage {
    var bookmark = SyncBookmark(cursor)
    let question = bookmark.question(for: dependencies.appBuild)
    let wait = question.isRepeat ? 0 : wait
    var call = try await fromDevice(StoreConnection.Call(.sync))
    if let cursor = question.cursor { call.query.append((name: "cursor", value: cursor)) }
    call.query.append((name: "wait", value: String(wait)))
    call.deadline += Double(wait)
    var message: SyncMessage = try await authorizedValue(call)
    unreadLog.note(message.unread, kind: "order", logger: logger)
    bookmark.advance(to: message.cursor, after: question, isComplete: message.unread.isEmpty)
    message.cursor = bookmark.text
    return message
  }

  package func finishOrder(_ id: OrderID, of account: AccountID) async throws(StoreError) {
    var call = StoreConnection.Call(.finishOrder, path: Route.finishOrder.path(id.description))
    call.headers[WireHeader.device] = await device(of: account)
    guard vault.current?.signedIn.accountID == account else { return try await answerForgotten(call, of: account) }
    try await authorized(call) { call throws(StoreError) in
      // Another process may have changed the account; to another one the order is not known, and that would be final.
      guard vault.current?.signedIn.accountID == account else { throw .connection }
      try await connection.answer(call)
    }
  }

  package func restorable() async throws(StoreError) -> [OrderMessage] {
    let message = try await authorizedValue(StoreConnection.Call(.restorable), as: RestorableMessage.self)
    unreadLog.note(message.unread, kind: "order", logger: logger)
    return message.orders
  }

  package func signedHistory() async throws(StoreError) -> String {
    let body = try await authorizedAnswer(StoreConnection.Call(.history))
    guard let text = String(validating: body, as: UTF8.self), text.split(separator: ".").count == 3 else {
      throw .internalError("expected a compact JWS from \(Route.history.path), got something else")
    }
    return text
  }

  package func subscriptions() async throws(StoreError) -> SubscriptionsMessage {
    try await authorizedValue(StoreConnection.Call(.subscriptions))
  }

  package func presentSubscriptions(
    group: String?, appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    let message = try await hostedPage(.subscriptionsSession, appAccountToken: appAccountToken)
    let page = group.map { message.url.adding([(name: "group", value: $0)]) } ?? message.url
    _ = try await present(.subscriptions, page: page, on: screens)
  }

  package func presentCodeRedemption(
    appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    let message = try await hostedPage(.redemptionSession, appAccountToken: appAccountToken)
    _ = try await present(.codeRedemption, page: message.url, on: screens)
  }

  /// The address of a page on which the user can buy.
  private func hostedPage(_ route: Route, appAccountToken: String?) async throws(StoreError) -> HostedPageMessage {
    var call = StoreConnection.Call(route)
    call.body = .json(HostedPageRequest(appAccountToken: appAccountToken))
    return try await authorizedValue(call)
  }

  package func presentPaymentMethods(on screens: any ScreenPresenter) async throws(StoreError) {
    let message: HostedPageMessage = try await authorizedValue(StoreConnection.Call(.paymentMethodsSession))
    _ = try await present(.paymentMethods, page: message.url, on: screens)
  }

  package func presentRefundRequest(of id: OrderID, on screens: any ScreenPresenter) async throws(StoreError) {
    let call = StoreConnection.Call(.orderRefundPage, path: Route.orderRefundPage.path(id.description))
    let message: HostedPageMessage = try await authorizedValue(call)
    _ = try await present(.refundRequest, page: message.url, on: screens)
  }

  package func attribution(_ request: AttributionRequest) async throws(StoreError) -> AttributionMessage {
    var call = StoreConnection.Call(.attribution)
    call.body = .json(request)
    return try await connection.value(call)
  }

  package func report(_ request: EventsRequest) async throws(StoreError) {
    var call = StoreConnection.Call(.events)
    call.body = .json(request)
    let answer = try await connection.exchange(call)
    guard answer.status != 204 else { return }
    let problem = try? WireCoding.decoder().decode(ProblemDetails.self, from: answer.body)
    if let problem, [400, 413, 415, 422].contains(answer.status) { throw .refused(problem.code) }
    throw .serviceUnavailable
  }

  /// The call with the device that makes it. The name is the account's own: nothing joins it with what the installation
  /// does for other accounts, or with its events.
  private func fromDevice(_ call: StoreConnection.Call) async throws(StoreError) -> StoreConnection.Call {
    guard let account = vault.current?.signedIn.accountID else { throw .notSignedIn }
    var call = call
    call.headers[WireHeader.device] = await device(of: account)
    return call
  }

  private func device(of account: AccountID) async -> String {
    await installation.device(of: account).uuidString.lowercased()
  }

  private func present(
    _ screen: OnsideScreen, page: URL, on screens: any ScreenPresenter
  ) async throws(StoreError) -> ScreenOutcome {
    guard page.isSecureWebAddress else {
      throw .internalError("expected an https page for the \(screen.rawValue) screen, got another kind of address")
    }
    // Without it any program that reaches the redirect address could close the screen.
    let state = Base64URL.encode(dependencies.randomBytes(16))
    return try await show(screen, on: screens) { redirect in
      page.adding([(name: "return_uri", value: redirect.absoluteString), (name: "state", value: state)])
    }
  }
}
