import Foundation
import Synchronization

/// The calls of pages. The compiler checks that the switch has every function.
extension OnsideBridge {
  func perform(_ call: BridgeCall, with request: PageRequest) {
    switch request {
    case .success(let request): perform(call, with: request)
    case .failure(let error): call.settle(.error(error))
    }
  }

  private func perform(_ call: BridgeCall, with request: BridgeRequest) {
    switch request {
    case .initialize, .setAppearance, .setShouldForceLocalLoginMethods, .setDefaultCountryCodeAssumption,
      .setAppAccountToken, .trackEvent:
      set(request)
      call.settle(.done)
    case .logout:
      client.logout()
      refresh()
      call.settle(.done)
    case .cancelLogin:
      client.cancelLogin()
      call.settle(.done)
    case .getCurrentStorefront: call.settle(.json(storefront.json))
    case .getTransactions: call.settle(.value(transactions.encoding(client.queue.transactions)))
    case .requestLogin:
      Task { await call.settle(outcome { try await client.login() }) }
    case .presentPaymentMethodsManager:
      client.presentPaymentMethodsManager { call.settle(BridgeOutcome($0)) }
    case .presentSubscriptionsManager(let group):
      Task { await call.settle(outcome { try await client.presentSubscriptionsManager(group: group) }) }
    case .presentCodeRedemption:
      Task { await call.settle(outcome { try await client.presentCodeRedemption() }) }
    case .presentRefundRequest(let identifier):
      Task { call.settle(BridgeOutcome(await client.refundRequested(for: identifier))) }
    case .restoreCompletedTransactions:
      // Both published errors have the one case that the queue's result stands for.
      client.queue.restore(reporting: { call.settle(BridgeOutcome($0)) })
    case .purchase(let parameters): purchase(parameters, for: call)
    case .finishTransaction(let id): finish(id, for: call)
    case .cancelPurchase(let id): cancel(id, for: call)
    case .loadProducts(let parameters):
      fetch(call) { JSProductsResponse(try await self.load(parameters.productIdentifiers, for: call.view)) }
    case .getAttributionMetadata:
      fetch(call) { try await self.client.attributionMetadata() }
    case .getOfferings:
      fetch(call) { JSOfferings(try await self.loadOfferings(for: call.view)) }
    case .getSubscriptionStatus(let group):
      fetch(call) { JSSubscriptionStatus(try await self.client.subscriptionStatus(group: group)) }
    case .getEntitlements:
      followEntitlements()
      fetch(call) { await self.client.entitlements.map(JSEntitlement.init) }
    case .getSignedEntitlements:
      fetch(call) { await self.client.signedEntitlements }
    case .getSignedInAppsHistory:
      fetch(call) { JSSignedInAppsHistory(try await self.client.signedInAppsHistory()) }
    }
  }

  private func set(_ request: BridgeRequest) {
    switch request {
    case .setAppearance(let mode): client.appearance.setThemeMode(mode)
    case .setShouldForceLocalLoginMethods(let force): forcesLocalMethods = force
    case .setDefaultCountryCodeAssumption(let code): countryHint = code.isEmpty ? nil : code
    case .setAppAccountToken(let token): client.appAccountToken = token.isEmpty ? nil : token
    case .trackEvent(let event): client.trackEvent(event.eventName, parameters: event.values)
    default: break
    }
  }

  private func purchase(_ parameters: PurchaseParameters, for call: BridgeCall) {
    // The view's own product first: another view may have loaded it since in another region, at another price.
    let shown = call.view.loaded.withLock { $0[parameters.productIdentifier] }
    guard let product = shown ?? products[parameters.productIdentifier] else {
      return call.settle(.rejection(UnknownProduct()))
    }
    var payment = OnsidePayment(product: product)
    payment.appAccountToken = parameters.appAccountToken ?? client.appAccountToken
    payment.quantity = parameters.quantity
    payment.offer = parameters.offer
    if let error = OnsidePaymentError(checking: payment) {
      return call.settle(.error(BridgeError(.invalidArguments, description: error.description)))
    }
    acting.record(payment, by: call.view.id)
    client.queue.add(
      payment,
      reporting: { [weak self] result in
        if result.error != nil { self?.acting.forget(payment) }
        call.settle(BridgeOutcome(result))
      })
  }

  /// Finishes a transaction in this turn; the call settles when the finish is on disk.
  private func finish(_ id: String, for call: BridgeCall) {
    guard let transaction = transaction(id) else { return call.settle(.rejection(UnknownTransaction())) }
    client.queue.finishTransaction(transaction)
    Task { call.settle(await outcome { try await client.queue.finish(transaction.id) }) }
  }

  private func cancel(_ id: String, for call: BridgeCall) {
    guard let transaction = transaction(id) else { return call.settle(.rejection(UnknownTransaction())) }
    client.queue.cancel(transaction)
    call.settle(.done)
  }

  private func transaction(_ id: String) -> OnsidePaymentTransaction? {
    UUID(uuidString: id).flatMap { id in client.queue.transactions.first { $0.id == id } }
  }

  /// What comes of a screen that was shown: it was closed, or could not be shown.
  private func outcome(of screen: () async throws -> Void) async -> BridgeOutcome {
    do {
      try await screen()
      return .done
    } catch {
      return BridgeOutcome(failure: error)
    }
  }

  // MARK: What waits for the network

  private func fetch(_ call: BridgeCall, _ work: @escaping @MainActor () async throws -> some Encodable & Sendable) {
    let timer = Task { [sleep = client.dependencies.sleep, seconds = limits.callDeadline] in
      guard (try? await sleep(seconds)) != nil else { return }
      call.settle(
        .error(BridgeError(.deadlineExceeded, description: "No answer came within \(seconds) s; try again later")))
    }
    Task {
      do {
        let value = try await work()
        call.settle(.value { try JSONText(value) })
      } catch {
        call.settle(BridgeOutcome(failure: error))
      }
      timer.cancel()
    }
  }

  private func load(
    _ identifiers: Set<String>, for view: BridgeView
  ) async throws(OnsideProductsRequestError) -> OnsideProductsResponse {
    let response = try await client.products(for: identifiers)
    take(response.products, for: view)
    return response
  }

  private func loadOfferings(for view: BridgeView) async throws(OnsideProductsRequestError) -> OnsideOfferings {
    let offerings = try await client.offerings()
    take(offerings.all.flatMap(\.products), for: view)
    return offerings
  }

  /// Lets a page buy what it was shown.
  private func take(_ shown: [OnsideProduct], for view: BridgeView) {
    view.loaded.withLock { loaded in
      for product in shown { loaded[product.productIdentifier] = product }
    }
    for product in shown { products[product.productIdentifier] = product }
  }
}

/// The views whose pages have called `purchase`, by payment, until the purchase is over. The gates of a purchase ask
/// the page of its view.
struct ActingViews {
  /// The maximum number of payments, because a page may call `purchase` without a login. The oldest are dropped.
  private static let limit = 100

  private var purchases: [(payment: PaymentIdentity, view: Int)] = []

  /// Records the view whose page has called `purchase` for this payment last.
  mutating func record(_ payment: OnsidePayment, by view: Int) {
    forget(payment)
    purchases.append((PaymentIdentity(payment), view))
    if purchases.count > Self.limit { purchases.removeFirst() }
  }

  /// Removes the view of a purchase that is over or did not begin.
  mutating func forget(_ payment: OnsidePayment) {
    let identity = PaymentIdentity(payment)
    purchases.removeAll { $0.payment == identity }
  }

  /// The view; nil if no page of this process has asked for the purchase.
  func view(for payment: OnsidePayment) -> Int? {
    let identity = PaymentIdentity(payment)
    return purchases.first { $0.payment == identity }?.view
  }
}
