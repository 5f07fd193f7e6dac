import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import Testing

/// A store in memory whose network can be made to fail, and whose user acts by a script.
actor FakeStore: Store {
  /// The calls that the queue makes.
  enum Call: Hashable, Sendable { case order, check, cancel, present, sync, finish, restorable }

  /// What the network does to one call.
  enum Fault: Hashable, Sendable {
    /// The call does not reach the store.
    case fail(StoreError)
    /// The store does it, but the answer is lost.
    case loseAnswer
    /// The store is asked twice.
    case duplicate
    /// No answer comes before the task is cancelled.
    case hang
  }

  /// What the user does on a payment screen.
  enum UserAct: Hashable, Sendable {
    case pay
    /// Pays, but the screen does not close by itself.
    case payAndStay
    /// Pays with a method whose payment stays in processing.
    case payLater
    case closeScreen
    /// The browser returns to the app, and nothing was paid: a redirect that any page may have sent.
    case comeBack
    /// The time for the screen runs out while its page is open in a browser.
    case leaveOpen
    /// The time for the screen runs out, and its page is open nowhere.
    case timeOut
    /// The screen stays open until it is closed from outside.
    case stay
    case screenFails
  }

  var rules = FakeRules()
  private(set) var log: [Call] = []
  private(set) var requests: [OrderRequest] = []
  private(set) var openScreens = 0
  private(set) var mostScreens = 0
  private var account: AccountID?
  private var faults: [Call: [Fault]] = [:]
  private var acts: [UserAct] = []
  private var waiters: [UUID: CheckedContinuation<Void, Never>] = [:]

  func signIn(_ account: AccountID?) {
    self.account = account
    wakeAll()
  }

  func script(_ acts: UserAct...) { self.acts += acts }

  func disturb(_ call: Call, with faults: Fault...) {
    self.faults[call, default: []] += faults
    wakeAll()
  }

  /// Changes the store from outside of the queue, for example as another device would.
  @discardableResult
  func change<Value: Sendable>(_ change: @Sendable (inout FakeRules) throws -> Value) rethrows -> Value {
    defer { wakeAll() }
    return try change(&rules)
  }

  func count(of call: Call) -> Int { log.count { $0 == call } }

  /// Returns when the condition holds, which is looked at after every change, or when the test's time is up.
  func until(
    _ condition: @Sendable (FakeRules, [Call]) -> Bool, sourceLocation location: SourceLocation = #_sourceLocation
  ) async {
    while !condition(rules, log), !Task.isCancelled { await pause() }
    #expect(condition(rules, log), "was still waited for; calls: \(log)", sourceLocation: location)
  }

  // MARK: Store

  func makeOrder(_ id: OrderID, request: OrderRequest) async throws(StoreError) -> OrderMessage {
    requests.append(request)
    return try await call(.order) { rules, account throws(StoreError) in
      try rules.make(id.uuid, request: request, of: account)
    }
  }

  func order(_ id: OrderID) async throws(StoreError) -> OrderMessage {
    try await call(.check) { rules, account throws(StoreError) in try rules.order(id.uuid, of: account) }
  }

  func cancelOrder(_ id: OrderID, because reason: CancelReason) async throws(StoreError) -> OrderMessage {
    try await call(.cancel) { rules, account throws(StoreError) in
      try rules.cancel(id.uuid, of: account, because: reason)
    }
  }

  /// Nothing is leased here.
  func claimOrder(_ id: OrderID) async throws(StoreError) -> OrderMessage { try await order(id) }

  func finishOrder(_ id: OrderID, of account: AccountID) async throws(StoreError) {
    try await call(.finish) { rules, _ throws(StoreError) in try rules.finish(id.uuid, of: account) }
  }

  func restorable() async throws(StoreError) -> [OrderMessage] {
    try await call(.restorable) { rules, account throws(StoreError) in rules.restorable(account) }
  }

  func sync(since cursor: String?, wait: Int) async throws(StoreError) -> SyncMessage {
    while wait > 0, faults[.sync]?.isEmpty != false, let account, !rules.hasNews(since: cursor, account) {
      await pause()
      if Task.isCancelled { throw .cancelled }
    }
    return try await call(.sync) { rules, account throws(StoreError) in rules.sync(since: cursor, account) }
  }

  func presentPayment(
    of order: OrderMessage, on screens: any ScreenPresenter
  ) async throws(StoreError) -> PaymentScreenEnd {
    log.append(.present)
    openScreens += 1
    mostScreens = max(mostScreens, openScreens)
    wakeAll()
    defer {
      openScreens -= 1
      wakeAll()
    }
    switch acts.isEmpty ? .pay : acts.removeFirst() {
    case .pay: rules.pay(order.id.uuid)
    case .payAndStay:
      rules.pay(order.id.uuid)
      try await untilCancelled()
    case .payLater: rules.hold(order.id.uuid)
    case .closeScreen: break
    case .comeBack: return .returned
    case .leaveOpen:
      rules.openPage(order.id.uuid)
      return .unseen
    case .timeOut: return .unseen
    case .stay: try await untilCancelled()
    case .screenFails: throw .presentationFailed
    }
    return .closed
  }

  func products(
    _ identifiers: [String], country: CountryCode?, languages: [String]
  ) async throws(StoreError) -> ProductsMessage { throw .internalError("the queue asks for no products") }

  func subscriptions() async throws(StoreError) -> SubscriptionsMessage { throw .internalError("not asked for") }

  func offerings() async throws(StoreError) -> OfferingsMessage { throw .internalError("the queue asks for none") }

  func entitlements(
    of account: AccountID, verifiedWith keys: Data?
  ) async throws(StoreError) -> SignedEntitlements { throw .internalError("the queue asks for no entitlements") }

  func signedHistory() async throws(StoreError) -> String { throw .internalError("the queue asks for no history") }

  func presentSubscriptions(
    group: String?, appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    throw .presentationFailed
  }
  func presentCodeRedemption(
    appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    throw .presentationFailed
  }
  func presentPaymentMethods(on screens: any ScreenPresenter) async throws(StoreError) { throw .presentationFailed }

  func presentRefundRequest(of id: OrderID, on screens: any ScreenPresenter) async throws(StoreError) {
    throw .presentationFailed
  }

  // MARK: The network

  private func call<Value: Sendable>(
    _ call: Call, _ work: (inout FakeRules, AccountID) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    log.append(call)
    defer { wakeAll() }
    let fault = faults[call]?.isEmpty == false ? faults[call]?.removeFirst() : nil
    switch fault {
    case .fail(let error): throw error
    case .hang: try await untilCancelled()
    case .loseAnswer:
      if let account { _ = try work(&rules, account) }
      throw .connection
    case .duplicate:
      if let account { _ = try work(&rules, account) }
    case nil: break
    }
    guard let account else { throw .notSignedIn }
    return try work(&rules, account)
  }

  private func untilCancelled() async throws(StoreError) {
    wakeAll()
    while !Task.isCancelled { await pause() }
    throw .cancelled
  }

  /// Until something changes, or the task is cancelled.
  private func pause() async {
    let id = UUID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { continuation.resume() } else { waiters[id] = continuation }
      }
    } onCancel: {
      Task { await self.wake(id) }
    }
  }

  private func wake(_ id: UUID) { waiters.removeValue(forKey: id)?.resume() }

  private func wakeAll() {
    let woken = waiters.values
    waiters = [:]
    for waiter in woken { waiter.resume() }
  }
}
