import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Purchases with one call", .timeLimit(.minutes(5)))
struct QueuePurchaseTests {
  private let gate = RefusingGate()

  @Test("QUE-27: a purchase returns when it is paid; observers were told before, and the app finishes it")
  func paid() async throws {
    let harness = try await QueueHarness()
    let transaction = try #require(try await harness.purchase(RuleProducts.coins, token: "alice").transaction)
    #expect(harness.watcher.states(of: transaction.id) == [.purchasing, .purchased])
    #expect(harness.watcher.updates.last == transaction)
    #expect(transaction.payment.appAccountToken == "alice")
    #expect(harness.queue.transactions == [transaction])
    await harness.finish(transaction)
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-29: a purchase with an offer orders it by name, with the signature of the app's server")
  func offer() async throws {
    let harness = try await QueueHarness()
    let offer = OnsidePaymentOffer(offerIdentifier: "back", signature: "a.b.c")
    let product = try harness.payment(RuleProducts.coins).product
    let result = try await harness.queue.purchase(product, appAccountToken: "alice", offer: offer)
    #expect(result.transaction?.payment.offer == offer)
    let offers = await harness.store.requests.map(\.offer)
    #expect(offers == [OrderOffer(id: "back", signature: "a.b.c")])
    // Another offer of the same product is another wish; no offer is one, too.
    let actualOffer = try await harness.purchase(RuleProducts.coins, token: "alice").transaction?.payment.offer
    #expect(actualOffer == nil)
    let requests = await harness.store.requests.map(\.offer?.id)
    #expect(requests == ["back", nil])
  }

  @Test("QUE-29: the offer of a payment stays with it over a restart")
  func offerAfterRestart() async throws {
    let harness = try await QueueHarness()
    let offer = OnsidePaymentOffer(offerIdentifier: "back", signature: "a.b.c")
    await harness.store.script(.payLater)
    let product = try harness.payment(RuleProducts.coins).product
    let purchase = try await harness.queue.purchase(product, offer: offer)
    #expect(purchase.pending != nil)
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.restart()
    await harness.store.change { $0.pay(id) }
    let actualOffer = try await harness.watcher.first(.purchased).payment.offer
    #expect(actualOffer == offer)
  }

  @Test("QUE-27: a page that the user closes is .cancelled, and nothing is left to finish", arguments: [false, true])
  func cancelled(runsShop: Bool) async throws {
    let harness = try await QueueHarness(runsShop: runsShop)
    await harness.store.script(.closeScreen)
    let purchase = try await harness.purchase(RuleProducts.coins)
    #expect(purchase == .cancelled)
    #expect(harness.watcher.updates.last?.error == .cancelled && harness.watcher.updates.last?.failure == nil)
    await harness.watcher.until { !$0.removals.isEmpty }
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-27: a payment that the store still processes is .pending; observers get its outcome")
  func processing() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payLater)
    let purchase = try await harness.purchase(RuleProducts.coins)
    #expect(purchase.pending != nil)
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.store.change { $0.pay(id) }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == id)
  }

  @Test("QUE-27: a page that may be open in a browser is .pending, and a purchase of the same shows it again")
  func leftOpen() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.leaveOpen, .pay)
    let purchase = try await harness.purchase(RuleProducts.coins)
    #expect(purchase.pending != nil)
    let transaction = try #require(try await harness.purchase(RuleProducts.coins).transaction)
    let charges = await harness.store.rules.charges
    #expect(charges == [transaction.id: 1])
  }

  @Test(
    "QUE-27: of two calls for one order the first returns .purchased, the second .pending", arguments: [false, true])
  func joined(runsShop: Bool) async throws {
    let harness = try await QueueHarness(runsShop: runsShop)
    await harness.store.script(.stay)
    async let first = harness.purchase(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    async let second = harness.purchase(RuleProducts.coins)
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.store.change { $0.pay(id) }
    let (paid, other) = try await (first, second)
    #expect(paid.transaction?.id == id && paid.transaction?.isFinished == runsShop)
    #expect(other.pending?.id == id)
    let charges = await harness.store.rules.charges
    #expect(charges == [id: 1])
  }

  @Test("QUE-27: of two calls for one order the second returns .purchased if the task of the first is cancelled")
  func joinedCancelled() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    let first = Task { try await harness.purchase(RuleProducts.coins) }
    await harness.store.until { _, log in log.contains(.present) }
    async let second = harness.purchase(RuleProducts.coins)
    let id = try #require(harness.queue.transactions.first?.id)
    #expect(await eventually { harness.queue.buyers.count == 2 })
    first.cancel()
    await harness.store.change { $0.pay(id) }
    let secondID = try await second.transaction?.id
    #expect(secondID == id)
    await #expect(throws: CancellationError.self) { try await first.value }
  }

  @Test("QUE-27: a purchase that another device has finished meanwhile is .purchased, finished and removed")
  func finishedElsewhere() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    async let result = harness.purchase(RuleProducts.pro)
    await harness.store.until { _, log in log.contains(.present) }
    let id = try #require(harness.queue.transactions.first?.id)
    try await harness.store.change {
      $0.pay(id)
      try $0.finish(id, of: QueueHarness.alice.accountID)
    }
    let transaction = try await result.transaction
    #expect(transaction?.id == id && transaction?.isFinished == true)
    #expect(harness.watcher.states(of: id) == [.purchasing])
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-27: a store that cannot be reached is an error, the queue goes on, and nothing is charged")
  func offline() async throws {
    let harness = try await QueueHarness(runsShop: true)
    await harness.store.disturb(.order, with: .fail(.connection), .fail(.connection), .fail(.connection))
    await harness.store.disturb(.order, with: .fail(.connection))
    await harness.store.disturb(.check, with: .fail(.connection))
    await #expect(throws: OnsideFailure.offline) { try await harness.purchase(RuleProducts.coins) }
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.error == .presentationFailed)
    #expect(await harness.store.rules.charges.isEmpty)
  }

  @Test(
    "QUE-27: an order that the store refuses is an error that says why, whether or not an observer has finished it",
    arguments: [
      (StoreError.refused(.productNotAvailable), OnsideFailure.notAvailable),
      (.refused(.subscriptionActive), .notAvailable), (.refused(.invalidRequest), .internalError),
      (.appNotRegistered, .internalError),
    ], [false, true])
  func refused(refusal: (error: StoreError, failure: OnsideFailure), runsShop: Bool) async throws {
    let (error, failure) = refusal
    let harness = try await QueueHarness(runsShop: runsShop)
    await harness.store.disturb(.order, with: .fail(error))
    await #expect(throws: failure) { try await harness.purchase(RuleProducts.coins) }
    let actualFailure = try await harness.watcher.first(.failed).failure
    #expect(actualFailure == failure)
    await harness.watcher.until { !$0.removals.isEmpty }
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-15: what was in the way of a failed payment is known after a restart")
  func refusedBefore() async throws {
    let harness = try await QueueHarness()
    await harness.store.disturb(.order, with: .fail(.refused(.offerNotEligible)))
    try harness.add(RuleProducts.coins)
    let failure = try await harness.watcher.first(.failed).failure
    #expect(failure == .notAvailable)
    await harness.restart()
    let secondFailure = try await harness.watcher.first(.failed).failure
    #expect(secondFailure == .notAvailable)
  }

  @Test(
    "QUE-27: a page that cannot be shown is an error, whether or not an observer has finished the transaction",
    arguments: [false, true])
  func noScreen(runsShop: Bool) async throws {
    let harness = try await QueueHarness(runsShop: runsShop)
    await harness.store.script(.screenFails)
    await #expect(throws: OnsideFailure.presentationFailed) { try await harness.purchase(RuleProducts.coins) }
    await harness.watcher.until { !$0.removals.isEmpty }
  }

  @Test("QUE-27: connection lost after the page: .pending, and the purchase comes when the store answers")
  func lostAfterPayment() async throws {
    let harness = try await QueueHarness()
    for _ in 0..<4 { await harness.store.disturb(.check, with: .fail(.connection)) }
    await harness.store.disturb(.sync, with: .hang)
    let result = try await harness.purchase(RuleProducts.coins)
    #expect(result.pending != nil)
    _ = try await harness.watcher.first(.purchased)
  }

  @Test("QUE-27: a login that the user discards is .loginDiscarded, and a gate that rejects after it is an error")
  func preflight() async throws {
    let harness = try await QueueHarness(signedIn: nil)
    let purchase = try await harness.purchase(RuleProducts.coins)
    #expect(purchase == .loginDiscarded)
    harness.queue.delegate = gate
    harness.account.nextLogin = QueueHarness.alice
    await #expect(throws: OnsidePaymentQueueAddProductError.rejectedAfterLogin) {
      try await harness.purchase(RuleProducts.coins)
    }
    await #expect(throws: OnsidePaymentError.self) {
      try await harness.purchase(RuleProducts.coins, token: String(repeating: "a", count: 513))
    }
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-27: the storefront gate's refusal is .cancelled")
  func storefrontGate() async throws {
    let harness = try await QueueHarness(signedIn: nil)
    // A user who saw the Dutch price logs in to an American account.
    harness.account.provisionalCountry = .netherlands
    harness.account.nextLogin = SignedIn(accountID: QueueHarness.alice.accountID, country: .unitedStates)
    await harness.store.change { $0.move(QueueHarness.alice.accountID, to: .unitedStates) }
    harness.queue.delegate = gate
    gate.afterLogin = true
    let purchase = try await harness.purchase(RuleProducts.coins)
    #expect(purchase == .cancelled)
    #expect(await harness.store.rules.orders.isEmpty)
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-27: cancelling the task ends the wait, and the payment goes on")
  func taskCancelled() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    let task = Task { try await harness.purchase(RuleProducts.coins) }
    await harness.store.until { _, log in log.contains(.present) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.store.change { $0.pay(id) }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == id)
    #expect(harness.queue.buyers.isEmpty)
  }

  @Test("QUE-27: a task that was cancelled before buys nothing")
  func cancelledBefore() async throws {
    let harness = try await QueueHarness()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await harness.purchase(RuleProducts.coins)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-27: a process that ends while the page is open delivers at its next launch")
  func processEnds() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    let task = Task { try await harness.purchase(RuleProducts.coins) }
    await harness.store.until { _, log in log.contains(.present) }
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.restart()
    await #expect(throws: CancellationError.self) { try await task.value }
    await harness.store.change { $0.pay(id) }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == id)
  }

  @Test("QUE-27: a logout meanwhile is .pending; the transaction comes back with its account")
  func logout() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    async let result = harness.purchase(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.store.change { $0.pay(id) }
    harness.account.signOut()
    let actualResult = try await result
    #expect(actualResult.pending != nil)
    await harness.account.signIn(QueueHarness.alice)
    await harness.watcher.until { $0.updates.contains { $0.id == id && $0.transactionState == .purchased } }
  }

  @Test("QUE-1, QUE-27: without an observer nothing is bought, and the call waits for one")
  func noObserver() async throws {
    let harness = try await QueueHarness(observed: false)
    async let result = harness.purchase(RuleProducts.coins)
    #expect(await eventually { !harness.queue.transactions.isEmpty })
    let orderCount = await harness.store.count(of: .order)
    #expect(orderCount == 0)
    harness.queue.add(observer: harness.watcher)
    let transactionState = try await result.transaction?.transactionState
    #expect(transactionState == .purchased)
  }

  @Test("QUE-27: an observer may finish the transaction before the call returns")
  func finishedByObserver() async throws {
    let harness = try await QueueHarness(runsShop: true)
    let transaction = try await harness.purchase(RuleProducts.coins).transaction
    #expect(transaction?.isFinished == true)
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("QUE-27: what is refunded before it was told is .cancelled")
  func refunded() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    async let result = harness.purchase(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.store.change {
      $0.pay(id)
      $0.refund(id)
    }
    let actualResult = try await result
    #expect(actualResult == .cancelled)
    #expect(harness.watcher.states(of: id) == [.purchasing])
  }

  @Test("QUE-27: a queue that an app's tests implement answers, too")
  func otherQueue() async throws {
    let harness = try await QueueHarness(runsShop: true)
    let other = WrappedQueue(harness.queue)
    let product = try harness.payment(RuleProducts.coins).product
    let transactionState = try await other.purchase(product).transaction?.transactionState
    #expect(transactionState == .purchased)
    await harness.store.script(.closeScreen, .screenFails)
    let purchase = try await other.purchase(product, appAccountToken: "b")
    #expect(purchase == .cancelled)
    await #expect(throws: OnsideFailure.presentationFailed) {
      try await other.purchase(product, appAccountToken: "c")
    }
  }
}

extension QueueHarness {
  fileprivate func purchase(_ product: String, token: String? = nil) async throws -> OnsidePurchaseResult {
    try await queue.purchase(try payment(product).product, appAccountToken: token)
  }
}

extension OnsidePurchaseResult {
  fileprivate var transaction: OnsidePaymentTransaction? {
    if case .purchased(let transaction) = self { transaction } else { nil }
  }

  fileprivate var pending: OnsidePaymentTransaction? {
    if case .pending(let transaction) = self { transaction } else { nil }
  }
}

/// A delegate that refuses.
@MainActor
private final class RefusingGate: OnsidePaymentQueueDelegate {
  var afterLogin = false

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool { false }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool { afterLogin }
}

/// A queue of another type.
@MainActor
private final class WrappedQueue: OnsidePaymentQueue {
  private let queue: PaymentQueue

  init(_ queue: PaymentQueue) { self.queue = queue }

  var delegate: (any OnsidePaymentQueueDelegate)?
  var storefront: OnsideStorefront? { queue.storefront }
  var transactions: [OnsidePaymentTransaction] { queue.transactions }
  var transactionObservers: [any OnsidePaymentTransactionObserver] { queue.transactionObservers }
  func add(observer: any OnsidePaymentTransactionObserver) { queue.add(observer: observer) }
  func remove(observer: any OnsidePaymentTransactionObserver) { queue.remove(observer: observer) }
  func add(
    _ payment: OnsidePayment, completion: (@MainActor (Result<Void, OnsidePaymentQueueAddProductError>) -> Void)?
  ) { queue.add(payment, completion: completion) }
  func restoreCompletedTransactions(
    completion: (@MainActor (Result<Void, OnsidePaymentQueueRequestRestoreError>) -> Void)?
  ) { queue.restoreCompletedTransactions(completion: completion) }
  func finishTransaction(_ transaction: OnsidePaymentTransaction) { queue.finishTransaction(transaction) }
}
