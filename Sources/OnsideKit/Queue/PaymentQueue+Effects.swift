import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// Performs the effects of the machine. Nothing here waits: work that takes time runs as a task, and its result returns
/// as an event.
extension PaymentQueue {
  func perform(_ effect: QueueEffect) {
    switch effect {
    case .disk(let job): disk?.add(job)
    case .payment(let id, let step, let work): perform(work, of: id, step: step)
    case .signIn(let call): signIn(call)
    case .regionLearned(let country, let signedIn): account.regionLearned(country, for: signedIn)
    case .sessionEnded: account.sessionEnded()
    case .askAfterLogin(let call, let transaction): askAfterLogin(call, about: transaction)
    case .parted(let account): parted(account)
    case .abandonCalls: tasks.cancel(.calls)
    case .finish(let id, let owner, let round): finish(id, of: owner, round: round)
    case .sync(let round, let cursor): sync(round: round, cursor: cursor)
    case .stopSync: tasks.cancel(.sync)
    case .fetchRestorable(let round): fetchRestorable(round: round)
    case .pause(let pause, let attempt, let event): wait(pause, attempt: attempt, then: event)
    case .tell(let callback):
      if case .removed(let gone) = callback { recordPurchases(removed: gone) }
      later(callback)
    case .replay:
      observers.replay(machine.book.visible)
      replay()
    case .warn(let text): dependencies.logger.warning("\(text)")
    }
  }

  private func perform(_ work: PurchaseMachine.Effect, of id: UUID, step: Int) {
    switch work {
    case .ask(let region): askStorefront(id, step: step, in: region)
    case .order(let region): order(id, step: step, in: region)
    case .present(let order): present(id, step: step, order: order)
    case .bringBack: screens[id]?.reminder.remind(at: dependencies.now())
    case .closeScreen: screens[id]?.task.cancel()
    case .check:
      ask(id, step: step) { store throws(StoreError) in try await store.order(OrderID(id)) }
    case .cancel(let reason):
      ask(id, step: step) { store throws(StoreError) in try await store.cancelOrder(OrderID(id), because: reason) }
    case .claim:
      ask(id, step: step) { store throws(StoreError) in try await store.claimOrder(OrderID(id)) }
    case .rest(let seconds): wait(Double(seconds), then: .purchase(id, step: step, .again))
    case .pause(let attempt): wait(.short, attempt: attempt, then: .purchase(id, step: step, .again))
    // The queue's machine has settled the payment.
    case .settle: break
    }
  }

  private func signIn(_ call: CallID) {
    tasks.run { [weak self, account] in
      let result = await account.ensureSignedIn()
      self?.send(.loginEnded(call, result, self?.member))
    }
  }

  private func order(_ id: UUID, step: Int, in region: CountryCode) {
    guard let payment = machine.book[id]?.payment else { return }
    let request = OrderRequest(payment, in: region, language: dependencies.languages().first)
    tasks.run(.calls) { [weak self, store] in
      let asked = self?.dependencies.now()
      let result = await attempt { () throws(StoreError) in try await store.makeOrder(OrderID(id), request: request) }
      self?.send(.purchase(id, step: step, .ordered(self?.timely(result, asked: asked) ?? result)))
    }
  }

  private func ask(
    _ id: UUID, step: Int, question: @escaping @Sendable (any Store) async throws(StoreError) -> OrderMessage
  ) {
    tasks.run(.calls) { [weak self, store] in
      let asked = self?.dependencies.now()
      let result = await attempt { () throws(StoreError) in try await question(store) }
      self?.send(.purchase(id, step: step, .told(self?.timely(result, asked: asked) ?? result)))
    }
  }

  /// Opens a payment screen, once an earlier screen of the same payment is closed.
  private func present(_ id: UUID, step: Int, order: OrderMessage) {
    checkpoint(.presenting)
    guard !isClosed else { return }
    let before = screens[id]?.task
    let reminder = ScreenReminder(openedAt: dependencies.now())
    let presenter = reminder.screens(dependencies.screens)
    let task = tasks.run(.calls) { [weak self, store] in
      await before?.value
      let result = await attempt { () throws(StoreError) in try await store.presentPayment(of: order, on: presenter) }
      if self?.screens[id]?.reminder === reminder { self?.screens[id] = nil }
      self?.send(.purchase(id, step: step, .closed(result)))
    }
    screens[id] = (task, reminder)
  }

  private func finish(_ id: UUID, of owner: AccountID, round: Int) {
    tasks.run(.calls) { [weak self, store] in
      let result = await attempt { () throws(StoreError) in try await store.finishOrder(OrderID(id), of: owner) }
      self?.send(.finishAnswered(id, round: round, result.failure))
    }
  }

  /// The greatest age, in seconds, of an answer that permits to deliver a consumable here: more than a call takes, and
  /// less than the shortest lease of a store.
  static let answerAge = 60.0

  /// Discards an answer older than ``answerAge`` that names the device that may deliver: while the process was
  /// suspended another device may have claimed the purchase. The caller asks again: the store can be reached.
  func timely(_ result: Result<OrderMessage, StoreError>, asked: Date?) -> Result<OrderMessage, StoreError> {
    isTimely(asked) || result.success?.delivery == nil ? result : .failure(.serviceUnavailable)
  }

  func timely(_ result: Result<SyncMessage, StoreError>, asked: Date?) -> Result<SyncMessage, StoreError> {
    isTimely(asked) || result.success?.orders.contains { $0.delivery != nil } != true
      ? result : .failure(.serviceUnavailable)
  }

  private func isTimely(_ asked: Date?) -> Bool {
    // A clock that went back says nothing.
    asked.map { (0...Self.answerAge).contains(dependencies.now().timeIntervalSince($0)) } ?? true
  }

  private func wait(_ pause: Pause, attempt: Int, then event: QueueEvent) {
    let jitter = dependencies.randomBytes(1).first ?? 0
    wait(BackOff.seconds(attempt: attempt, pause: pause, jitter: jitter), then: event)
  }

  private func wait(_ seconds: Double, then event: QueueEvent) {
    tasks.run { [weak self, sleep = dependencies.sleep] in
      let slept: Void? = try? await PresentTask.$isPausing.withValue(true) { try await sleep(seconds) }
      guard slept != nil else { return }
      self?.send(event)
    }
  }
}

extension OrderRequest {
  fileprivate init(_ payment: OnsidePayment, in region: CountryCode, language: String?) {
    self.init(
      productID: payment.product.productIdentifier, country: region, quantity: payment.quantity,
      appAccountToken: payment.appAccountToken, language: language,
      offer: payment.offer.map { OrderOffer(id: $0.offerIdentifier, signature: $0.signature) })
  }
}
