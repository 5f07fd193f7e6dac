import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// The network between a device and the store: it plays the faults that the test asked for, and writes the story down.
final class DisturbedStore: Store, AccountStore {
  let calls = CallBook()
  private let base: any Store & AccountStore
  private let world: TestWorld
  private let device: String
  private let launch: Int

  /// How long a poll may wait, in seconds: for ever, so that no simulated time is spent on polls that time out.
  private static let pollLimit = 1_000_000_000

  init(_ base: any Store & AccountStore, world: TestWorld, device: String, launch: Int) {
    self.base = base
    self.world = world
    self.device = device
    self.launch = launch
  }

  private func call<Value: Sendable>(
    _ kind: StoreCall, of id: OrderID? = nil, body: @Sendable () async throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    try await calls.run(CallBook.Call(kind: kind)) { () throws(StoreError) in
      try await disturb(kind, of: id, body: body)
    }
  }

  private func disturb<Value: Sendable>(
    _ kind: StoreCall, of id: OrderID?, body: @Sendable () async throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    guard let fault = world.faults.next(for: kind) else { return try await body() }
    note(.fault, of: id, detail: "\(kind.rawValue) \(fault)")
    switch fault {
    case .fail(let failure):
      throw failure.error
    case .delay(let span):
      try await wait(span)
      return try await body()
    case .loseAnswer:
      _ = try await body()
      throw .connection
    case .duplicate:
      _ = try await body()
      return try await body()
    case .interrupt:
      if kind == .payment, let id { world.store.interrupt(id) }
      return try await body()
    }
  }

  private func wait(_ span: TimeSpan) async throws(StoreError) {
    let seconds = span.after(world.clock.now).timeIntervalSince(world.clock.now)
    CallBook.current?.rest(true)
    defer { CallBook.current?.rest(false) }
    do { try await world.clock.sleep(seconds, as: .other(launch: launch)) } catch { throw .cancelled }
  }

  private func note(_ kind: StoryStep.Kind, of id: OrderID?, detail: String = "") {
    world.story.add(kind, of: id?.uuid, device: device, detail: detail, at: world.clock.now)
  }

  // MARK: Store

  func products(
    _ identifiers: [String], country: CountryCode?, languages: [String]
  ) async throws(StoreError) -> ProductsMessage {
    try await call(.products) { () throws(StoreError) in
      try await self.base.products(identifiers, country: country, languages: languages)
    }
  }

  func offerings() async throws(StoreError) -> OfferingsMessage {
    try await call(.offerings) { () throws(StoreError) in try await self.base.offerings() }
  }

  func makeOrder(_ id: OrderID, request: OrderRequest) async throws(StoreError) -> OrderMessage {
    let order = try await call(.order, of: id) { () throws(StoreError) in
      try await self.base.makeOrder(id, request: request)
    }
    note(.ordered, of: id)
    return order
  }

  func order(_ id: OrderID) async throws(StoreError) -> OrderMessage {
    try await call(.check, of: id) { () throws(StoreError) in try await self.base.order(id) }
  }

  func cancelOrder(_ id: OrderID, because reason: CancelReason) async throws(StoreError) -> OrderMessage {
    try await call(.cancel, of: id) { () throws(StoreError) in try await self.base.cancelOrder(id, because: reason) }
  }

  func claimOrder(_ id: OrderID) async throws(StoreError) -> OrderMessage { try await base.claimOrder(id) }

  func presentPayment(
    of order: OrderMessage, on screens: any ScreenPresenter
  ) async throws(StoreError) -> PaymentScreenEnd {
    note(.screen, of: order.id)
    return try await call(.payment, of: order.id) { () throws(StoreError) in
      if try await self.base.order(order.id).state != .open { return .closed }
      return try await self.base.presentPayment(of: order, on: screens)
    }
  }

  func sync(since cursor: String?, wait: Int) async throws(StoreError) -> SyncMessage {
    var call = CallBook.Call(kind: .sync)
    if let cursor, let account = signedIn?.accountID { call.poll = (account, cursor) }
    return try await calls.run(call) { () throws(StoreError) in
      let answer = try await self.base.sync(since: cursor, wait: wait == 0 ? 0 : Self.pollLimit)
      return try await self.disturb(.sync, of: nil) { answer }
    }
  }

  func finishOrder(_ id: OrderID, of account: AccountID) async throws(StoreError) {
    try await call(.finish, of: id) { () throws(StoreError) in try await self.base.finishOrder(id, of: account) }
    note(.told, of: id)
  }

  func restorable() async throws(StoreError) -> [OrderMessage] {
    try await call(.restore) { () throws(StoreError) in try await self.base.restorable() }
  }

  func signedHistory() async throws(StoreError) -> String { try await base.signedHistory() }

  func entitlements(
    of account: AccountID, verifiedWith keys: Data?
  ) async throws(StoreError) -> SignedEntitlements {
    try await call(.entitlements) { () throws(StoreError) in
      try await self.base.entitlements(of: account, verifiedWith: keys)
    }
  }

  func subscriptions() async throws(StoreError) -> SubscriptionsMessage {
    try await call(.subscriptions) { () throws(StoreError) in try await self.base.subscriptions() }
  }

  func presentSubscriptions(
    group: String?, appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    try await base.presentSubscriptions(group: group, appAccountToken: appAccountToken, on: screens)
  }

  func presentCodeRedemption(
    appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    try await base.presentCodeRedemption(appAccountToken: appAccountToken, on: screens)
  }

  func presentPaymentMethods(on screens: any ScreenPresenter) async throws(StoreError) {
    try await base.presentPaymentMethods(on: screens)
  }

  func presentRefundRequest(of id: OrderID, on screens: any ScreenPresenter) async throws(StoreError) {
    try await base.presentRefundRequest(of: id, on: screens)
  }

  func attribution(_ request: AttributionRequest) async throws(StoreError) -> AttributionMessage {
    try await base.attribution(request)
  }

  // MARK: AccountStore

  var signedIn: SignedIn? { base.signedIn }
  var signedInChanges: AsyncStream<Void> { base.signedInChanges }

  func signIn(_ screens: any ScreenPresenter, options: SignInOptions) async throws(StoreError) -> SignedIn? {
    try await call(.signIn) { () throws(StoreError) in try await self.base.signIn(screens, options: options) }
  }

  func forgetSignIn() { base.forgetSignIn() }
  func revokeForgotten(after last: @escaping @Sendable (AccountID) async -> Void) async throws(StoreError) {
    try await base.revokeForgotten(after: last)
  }
  func keepRegion(_ country: CountryCode, of account: AccountID) { base.keepRegion(country, of: account) }
}
