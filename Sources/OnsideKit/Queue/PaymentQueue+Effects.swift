import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// Carrying out what the machine wants. Nothing here waits; what takes time runs as a task and comes back as an event.
extension PaymentQueue {
  func perform(_ effect: QueueEffect) {
    switch effect {
    case .load(let failures): disk?.add(.load(failures: failures))
    case .write(let entries, let then, let otherwise):
      disk?.add(.write(entries, then: then, otherwise: otherwise))
    case .erase(let ids, let then, let otherwise):
      disk?.add(.erase(ids, then: then, otherwise: otherwise))
    case .saveCursor(let account, let cursor):
      disk?.add(.saveCursor(account, cursor))
    case .signIn(let call): signIn(call)
    case .regionLearned(let country, let signedIn): account.regionLearned(country, for: signedIn)
    case .sessionEnded: account.sessionEnded()
    case .askAfterLogin(let call, let transaction): askAfterLogin(call, about: transaction)
    case .askStorefront(let id, let step, let transaction, let region):
      askStorefront(id, step: step, about: transaction, in: region)
    case .order(let id, let step, let request): order(id, step: step, request: request)
    case .present(let id, let step, let order): present(id, step: step, order: order)
    case .closeScreen(let id):
      screens[id]?.task.cancel()
    case .bringBack(let id):
      screens[id]?.reminder.remind(at: dependencies.now())
    case .check(let id, let step):
      ask(id, step: step) { store throws(StoreError) in try await store.order(OrderID(id)) }
    case .cancel(let id, let step, let reason):
      ask(id, step: step) { store throws(StoreError) in try await store.cancelOrder(OrderID(id), because: reason) }
    case .claim(let id, let step):
      ask(id, step: step) { store throws(StoreError) in try await store.claimOrder(OrderID(id)) }
    case .finish(let id, let owner, let round): finish(id, of: owner, round: round)
    case .parted(let account): parted(account)
    case .sync(let round, let cursor): sync(round: round, cursor: cursor)
    case .stopSync: tasks.cancel(.sync)
    case .abandonCalls: tasks.cancel(.calls)
    case .fetchRestorable(let round): fetchRestorable(round: round)
    case .pause(let pause, let attempt, let event): wait(pause, attempt: attempt, then: event)
    case .wait(let seconds, let event): wait(Double(seconds), then: event)
    case .tell(let callback):
      if case .removed(let gone) = callback { recordPurchases(removed: gone) }
      later(callback)
    case .replay:
      observers.replay(machine.book.visible)
      replay()
    case .warn(let text): dependencies.logger.warning("\(text)")
    }
  }

  private func signIn(_ call: CallID) {
    tasks.run { [weak self, account] in
      let result = await account.ensureSignedIn()
      self?.send(.loginEnded(call, result, self?.member))
    }
  }

  private func order(_ id: UUID, step: Int, request: OrderRequest) {
    var request = request
    request.language = dependencies.languages().first
    tasks.run(.calls) { [weak self, store, request] in
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
