import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import Synchronization

/// The connection of one process of a device to the store, over a network that loses, delays, repeats and reorders.
@MainActor
final class DeviceLink {
  private struct Call {
    let continuation: CheckedContinuation<Result<StoreAnswer, StoreError>, Never>
    let deadline: Agenda.EventID
  }

  private unowned let world: SimulatedWorld
  let device: SimulatedDevice
  private var calls: [Int: Call] = [:]
  private var lastCall = 0
  private var isDead = false
  /// The refunds that answers to this process have contained.
  private var refunds: Set<UUID> = []
  /// The orders that answers to this process have contained, or that it has asked about.
  private var known: Set<UUID> = []
  nonisolated let session: SessionBox

  init(_ device: SimulatedDevice, session: SessionBox, world: SimulatedWorld) {
    self.device = device
    self.session = session
    self.world = world
  }

  /// Ends the connection when the process dies: nothing is sent or received any more.
  func die() {
    isDead = true
    session.end()
    breakConnections(.cancelled)
  }

  /// Ends all open calls, as when the store dies.
  func breakConnections(_ error: StoreError = .connection) {
    for number in calls.keys.sorted() { end(number, with: .failure(error)) }
  }

  /// Makes a call for an account, the signed-in one unless given. It ends with an answer, an error or, like every call,
  /// at its deadline.
  func call(_ call: DeviceCall, of account: AccountID? = nil) async throws(StoreError) -> StoreAnswer {
    guard !isDead else { throw .cancelled }
    guard let account = account ?? session.signedIn?.accountID, session.speaks(for: account) else { throw .notSignedIn }
    let isCurrent = account == session.signedIn?.accountID
    if isCurrent, world.isRough, world.random.chance(1), world.random.chance(20) { return try endSession() }
    lastCall += 1
    let number = lastCall
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let deadline = world.agenda.schedule(in: call.deadline) { [self] in end(number, with: .failure(.connection)) }
        calls[number] = Call(continuation: continuation, deadline: deadline)
        send(call, number: number, of: account)
      }
    } onCancel: {
      Task { @MainActor in end(number, with: .failure(.cancelled)) }
    }
    if let order = call.question { known.insert(order) }
    var answer = try result.get()
    if world.brokenRule == .oneDeviceDelivers { answer.forgetDelivery() }
    if world.brokenRule == .syncTellsRefunds { answer.forgetRefunds() }
    if world.brokenRule == .refundNeedsDelivery { answer.attributeRefunds() }
    if case .order(let message) = answer, message.state == .paid { world.saysPaid(message.id.uuid) }
    for message in answer.messages {
      known.insert(message.id.uuid)
      if message.state == .paid && message.revokedAt != nil { refunds.insert(message.id.uuid) }
    }
    return answer
  }

  func hasToldRefund(of order: UUID) -> Bool { refunds.contains(order) }

  /// Whether this process has asked the store about an order, with or without success, or has heard of it.
  func hasAsked(about order: UUID) -> Bool { known.contains(order) }

  /// The store has ended the session on its own.
  private func endSession() throws(StoreError) -> StoreAnswer {
    world.trace { _ in "\(self.device.name) loses its session" }
    device.signedIn = nil
    session.lose()
    throw .notSignedIn
  }

  private func send(_ call: DeviceCall, number: Int, of account: AccountID) {
    let fate = world.fate(of: device)
    world.trace { "\(self.device.name) asks \($0.describe(call)), \(fate)" }
    if fate == .foreign {
      // The SDK recognises that this is no answer of the store, unless that rule is broken.
      let isBelieved = world.brokenRule == .onlyTheStoreIsFinal && call.isFinish
      world.agenda.schedule(in: world.latency()) { [self] in
        end(number, with: .failure(isBelieved ? .refused(.forbidden) : .notTheStore("a portal answered")))
      }
    }
    if fate == .refused {
      world.agenda.schedule(in: world.latency()) { [self] in end(number, with: .failure(.connection)) }
    }
    for copy in 0..<fate.copies {
      world.agenda.schedule(in: world.latency()) { [self] in
        world.server.take(call, of: account, from: device.name) { [self] result in
          guard copy == 0, fate != .answerLost else { return }
          let result = fate == .overloaded ? .failure(.serviceUnavailable) : result
          world.agenda.schedule(in: world.latency()) { [self] in end(number, with: result) }
        }
      }
    }
  }

  private func end(_ number: Int, with result: Result<StoreAnswer, StoreError>) {
    guard let call = calls.removeValue(forKey: number) else { return }
    world.agenda.cancel(call.deadline)
    call.continuation.resume(returning: result)
  }
}

/// The fate of a call on the network.
enum Fate: String, Sendable {
  case arrives, lost, answerLost, repeated, refused, overloaded
  /// A proxy or a captive portal answers instead of the store.
  case foreign

  /// How often it reaches the store.
  var copies: Int {
    switch self {
    case .lost, .refused, .foreign: 0
    case .arrives, .answerLost, .overloaded: 1
    case .repeated: 2
    }
  }
}

extension DeviceCall {
  fileprivate var isFinish: Bool { if case .finish = self { true } else { false } }

  /// The order of a call that asks for its state.
  fileprivate var question: UUID? {
    switch self {
    case .check(let id), .cancel(let id), .claim(let id): id.uuid
    case .order, .finish, .sync, .restorable: nil
    }
  }

  /// The caller's deadline in milliseconds.
  fileprivate var deadline: Int {
    switch self {
    case .sync(_, let wait): 15_000 + wait * 1000
    default: 15_000
    }
  }
}

extension DeviceLink: Store {
  func makeOrder(_ id: OrderID, request: OrderRequest) async throws(StoreError) -> OrderMessage {
    try await call(.order(id, request)).order
  }

  func order(_ id: OrderID) async throws(StoreError) -> OrderMessage {
    if world.brokenRule == .outcomeIsAsked, var guess = device.dismissed[id.uuid] {
      guess.state = .cancelled
      return guess
    }
    var message = try await call(.check(id)).order
    if world.brokenRule == .refundIsLookedAt { message.revokedAt = nil }
    return message
  }

  /// The simulated store knows of no page that is open, so it takes every cancel.
  func cancelOrder(_ id: OrderID, because reason: CancelReason) async throws(StoreError) -> OrderMessage {
    try await call(.cancel(id)).order
  }

  func claimOrder(_ id: OrderID) async throws(StoreError) -> OrderMessage {
    if world.brokenRule == .redeliveryIsClaimed { throw .connection }
    return try await call(.claim(id)).order
  }

  func finishOrder(_ id: OrderID, of account: AccountID) async throws(StoreError) {
    if world.brokenRule == .finishBeforeSessionEnds, session.signedIn?.accountID != account { throw .notSignedIn }
    do throws(StoreError) {
      _ = try await call(.finish(id), of: account)
    } catch {
      guard world.brokenRule == .finishIsRepeated, error == .connection else { throw error }
    }
  }

  func sync(since cursor: String?, wait: Int) async throws(StoreError) -> SyncMessage {
    guard case .sync(let message) = try await call(.sync(cursor, wait: wait)) else { throw .internalError("no sync") }
    return message
  }

  func restorable() async throws(StoreError) -> [OrderMessage] {
    guard case .orders(let orders) = try await call(.restorable) else { throw .internalError("no orders") }
    return orders
  }

  func presentPayment(
    of order: OrderMessage, on screens: any ScreenPresenter
  ) async throws(StoreError) -> PaymentScreenEnd {
    guard !isDead else { throw .cancelled }
    try await device.showPayment(of: order)
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
}

extension DeviceLink: AccountStore {
  nonisolated var signedIn: SignedIn? { session.signedIn }
  nonisolated var signedInChanges: AsyncStream<Void> { session.changes }

  func signIn(_ screens: any ScreenPresenter, options: SignInOptions) async throws(StoreError) -> SignedIn? {
    let wish = world.random.chance(85) ? device.nextLogin() : nil
    await world.pause(world.random.pick(1...20) * 1000)
    guard !isDead, let wish else { return nil }
    let signedIn = SignedIn(accountID: wish, country: world.server.durable.countries[wish] ?? .netherlands)
    session.set(signedIn)
    device.signedIn = signedIn
    return signedIn
  }

  nonisolated func forgetSignIn() { session.forget() }

  func revokeForgotten(after last: @escaping @Sendable (AccountID) async -> Void) async throws(StoreError) {
    for account in session.forgotten.sorted(by: { $0.description < $1.description }) {
      await last(account)
      guard !isDead, !Task.isCancelled else { throw .cancelled }
      world.trace { "\(self.device.name) ends the session of \($0.name(of: account))" }
      let own = world.server.books.orders.values.filter { $0.account == account }.map(\.id)
      // With a new session of the account the device sends its finishes later.
      if signedIn?.accountID != account { world.saysFarewell(device.app.finished.intersection(own), on: device.name) }
      session.revoked(account)
    }
  }

  nonisolated func keepRegion(_ country: CountryCode, of account: AccountID) { session.keep(country, of: account) }
}

extension StoreAnswer {
  /// Removes the delivery, so that the queue does not know which device delivers a consumable.
  fileprivate mutating func forgetDelivery() {
    switch self {
    case .order(var order):
      order.delivery = nil
      self = .order(order)
    case .sync(var message):
      for index in message.orders.indices { message.orders[index].delivery = nil }
      self = .sync(message)
    case .orders, .done: break
    }
  }

  /// Removes revoked orders from a sync that starts over.
  fileprivate mutating func forgetRefunds() {
    guard case .sync(var message) = self, message.startsOver else { return }
    message.orders.removeAll { $0.revokedAt != nil }
    self = .sync(message)
  }

  /// Reports every refunded order of a sync as finished by the asking device.
  fileprivate mutating func attributeRefunds() {
    guard case .sync(var message) = self else { return }
    for index in message.orders.indices where message.orders[index].revokedAt != nil {
      message.orders[index].finishedHere = true
    }
    self = .sync(message)
  }

  fileprivate var messages: [OrderMessage] {
    switch self {
    case .order(let message): [message]
    case .orders(let messages): messages
    case .sync(let message): message.orders
    case .done: []
    }
  }

  fileprivate var order: OrderMessage {
    get throws(StoreError) {
      guard case .order(let message) = self else { throw .internalError("expected an order") }
      return message
    }
  }
}

/// The stored sessions of one process of a device.
final class SessionBox: Sendable {
  private struct State {
    var signedIn: SignedIn?
    /// Accounts that have logged out, and whose session the store has not ended yet.
    var forgotten: Set<AccountID>
  }

  private let state: Mutex<State>
  let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  init(_ signedIn: SignedIn?, forgotten: Set<AccountID> = []) {
    state = Mutex(State(signedIn: signedIn, forgotten: forgotten))
    (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  var signedIn: SignedIn? { state.withLock { $0.signedIn } }
  var forgotten: Set<AccountID> { state.withLock { $0.forgotten } }

  func speaks(for account: AccountID) -> Bool {
    state.withLock { $0.signedIn?.accountID == account || $0.forgotten.contains(account) }
  }

  func set(_ signedIn: SignedIn?) { state.withLock { $0.signedIn = signedIn } }

  func forget() {
    state.withLock { state in
      if let account = state.signedIn?.accountID { state.forgotten.insert(account) }
      state.signedIn = nil
    }
  }

  func revoked(_ account: AccountID) { state.withLock { _ = $0.forgotten.remove(account) } }

  /// Ends the session without a logout on the device.
  func lose() {
    set(nil)
    change.yield()
  }

  func keep(_ country: CountryCode, of account: AccountID) {
    state.withLock { if $0.signedIn?.accountID == account { $0.signedIn?.country = country } }
  }

  func end() { change.finish() }
}
