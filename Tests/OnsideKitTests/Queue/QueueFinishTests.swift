import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Finishing transactions", .timeLimit(.minutes(5)))
struct QueueFinishTests {
  @Test("QUE-12: a finish removes at once, tells when it is on disk, and reaches the store")
  func finish() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    harness.queue.finishTransaction(bought)
    #expect(harness.queue.transactions.isEmpty)
    #expect(harness.watcher.removals.isEmpty)
    await harness.watcher.until { $0.removals.map(\.id) == [bought.id] }
    await harness.store.until { rules, _ in rules.orders[bought.id]?.finished == true }
    harness.queue.finishTransaction(bought)
    _ = try await harness.buy(RuleProducts.pro)
    #expect(harness.watcher.removals.count == 1)
  }

  @Test("QUE-12: the store is told of a finish with retries")
  func retries() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.disturb(.finish, with: .fail(.connection), .fail(.serviceUnavailable), .loseAnswer)
    await harness.finish(bought)
    let finishCount = await harness.store.count(of: .finish)
    #expect(finishCount >= 3)
  }

  @Test("QUE-12: the store is told of a finish after a restart if it was not before")
  func retriesAfterRestart() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.disturb(.finish, with: .hang)
    harness.queue.finishTransaction(bought)
    await harness.store.until { _, log in log.contains(.finish) }
    await harness.restart()
    await harness.store.until { rules, _ in rules.orders[bought.id]?.finished == true }
    #expect(harness.watcher.updates.isEmpty)
  }

  @Test("QUE-12: pauses between tries grow up to a limit, and a random byte makes them up to twice as long")
  func backOff() {
    let waits = (1...20).map { BackOff.seconds(attempt: $0, pause: .long, jitter: 0) }
    #expect(waits == waits.sorted())
    #expect(waits.first == 0.25)
    #expect(waits.last == 30)
    #expect([0, 255].map { BackOff.seconds(attempt: 3, pause: .long, jitter: $0) } == [1, 2])
    #expect(BackOff.seconds(attempt: 99, pause: .short, jitter: 255) == 15)
  }

  @Test("QUE-12: finishing a payment in flight does nothing; one that waits for its turn is given up")
  func purchasing() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    try harness.add(RuleProducts.coins, token: "second")
    await harness.store.until { _, log in log.contains(.present) }
    await harness.watcher.until { $0.updates.count == 2 }
    let (open, waiting) = (harness.queue.transactions[0], harness.queue.transactions[1])
    harness.queue.finishTransaction(open)
    harness.queue.finishTransaction(waiting)
    await harness.watcher.until { !$0.removals.isEmpty }
    #expect(harness.watcher.removals.map(\.id) == [waiting.id])
    await harness.store.change { $0.pay(open.id) }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == open.id)
    let orders = await harness.store.rules.orders[waiting.id]
    #expect(orders == nil)
  }

  @Test("QUE-12: a failed transaction is finished on the device; the store is not asked")
  func failed() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.closeScreen)
    try harness.add(RuleProducts.coins)
    let failed = try await harness.watcher.first(.failed)
    harness.queue.finishTransaction(failed)
    await harness.watcher.until { $0.removals.map(\.id) == [failed.id] }
    #expect(harness.files.isEmpty)
    await harness.restart()
    _ = try await harness.buy(RuleProducts.pro)
    let finishCount = await harness.store.count(of: .finish)
    #expect(finishCount == 0)
    #expect(!harness.watcher.updates.contains { $0.id == failed.id })
  }

  @Test("QUE-13: what was finished does not come again after a restart without a cursor")
  func finishedStaysAway() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.disturb(.finish, with: .hang)
    harness.queue.finishTransaction(bought)
    await harness.store.until { _, log in log.contains(.finish) }
    await harness.queue.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: harness.folder.path) where name.hasPrefix("cursor")
    {
      try FileManager.default.removeItem(at: harness.folder.appendingPathComponent(name))
    }
    await harness.restart()
    await harness.store.until { rules, _ in rules.orders[bought.id]?.finished == true }
    _ = try await harness.buy(RuleProducts.pro)
    #expect(!harness.watcher.updates.contains { $0.id == bought.id })
  }

  @Test("QUE-13: an answer that was on its way while the finish was told does not bring it back")
  func staleAnswer() throws {
    var machine = QueueMachine.signedIn(observed: true)
    let order = try OrderMessage.paid(QueueHarness.uuid(9))
    let round = machine.sync.round
    _ = machine.handle(.synced(round: round, [order]))
    _ = machine.handle(.finish(order.id.uuid))
    let entry = try #require(machine.book[order.id.uuid])
    _ = machine.handle(.finishWritten(entry, onDisk: true, attempt: 0))
    _ = machine.handle(.finishAnswered(order.id.uuid, round: machine.finishing.round, nil))
    #expect(machine.book[order.id.uuid] == nil)
    #expect(machine.handle(.synced(round: round, [order])).isEmpty)
    #expect(machine.transactions.isEmpty)
  }

  @Test("QUE-13: a restore's answer that was on its way while the app finished does not bring it back")
  func staleRestore() throws {
    var machine = QueueMachine.signedIn(observed: true)
    let order = try OrderMessage.paid(QueueHarness.uuid(9))
    _ = machine.handle(.synced(round: machine.sync.round, [order]))
    _ = machine.handle(.restore(QueueHarness.uuid(1)))
    _ = machine.handle(.finish(order.id.uuid))
    let entry = try #require(machine.book[order.id.uuid])
    #expect(machine.handle(.restored(round: machine.restoring.round, [order])).isEmpty)
    #expect(machine.book[order.id.uuid] == entry)
    _ = machine.handle(.finishWritten(entry, onDisk: true, attempt: 0))
    #expect(machine.transactions.isEmpty && machine.book.owed == [entry.id])
  }

  @Test("QUE-8: a payment that turns out paid while its failure is being finished comes once that is on disk")
  func paidAfterAll() throws {
    var machine = QueueMachine.signedIn(observed: true)
    var order = try OrderMessage.paid(QueueHarness.uuid(9))
    let request = AddRequest(
      call: QueueHarness.uuid(2), payment: OnsidePayment(product: OnsideProduct(order.product)), id: order.id.uuid,
      date: FakeRules.date, provisionalCountry: nil)
    _ = machine.handle(.add(request))
    _ = machine.handle(.enlisted(request.id, onDisk: true))
    order.state = .cancelled
    _ = machine.handle(.synced(round: machine.sync.round, [order]))
    _ = machine.handle(.failureWritten(request.id))
    let failed = try #require(machine.book[request.id])
    #expect(failed.state == .failed)
    _ = machine.handle(.finish(request.id))
    order.state = .paid
    #expect(machine.handle(.synced(round: machine.sync.round, [order])).isEmpty)
    let effects = machine.handle(.finishWritten(failed, onDisk: true, attempt: 0))
    let startsOver = effects.contains { if case .sync(_, cursor: nil) = $0 { true } else { false } }
    #expect(startsOver)
    _ = machine.handle(.synced(round: machine.sync.round, [order]))
    #expect(machine.transactions.map(\.transactionState) == [.purchased])
  }

  @Test("QUE-13: a finish in one turn with a logout reaches the store before the session is ended")
  func finishAndLogout() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.disturb(.finish, with: .fail(.connection), .fail(.serviceUnavailable))
    harness.queue.finishTransaction(bought)
    harness.account.signOut()
    await harness.account.beforeRevoking?(QueueHarness.alice.accountID)
    let finished = await harness.store.rules.orders[bought.id]?.finished
    #expect(finished == true)
    let finishCount = await harness.store.count(of: .finish)
    #expect(finishCount == 3)
  }

  @Test("QUE-13: a finish that is on disk is sent after a logout and a restart, also while another account is there")
  func finishAfterLogoutAndRestart() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.disturb(.finish, with: .hang)
    harness.queue.finishTransaction(bought)
    await harness.store.until { _, log in log.contains(.finish) }
    harness.account.signOut()
    await harness.store.disturb(.finish, with: .fail(.connection), .fail(.connection))
    await harness.restart()
    await harness.account.signIn(QueueHarness.bob)
    await harness.account.beforeRevoking?(QueueHarness.alice.accountID)
    let finished = await harness.store.rules.orders[bought.id]?.finished
    #expect(finished == true)
    #expect(await eventually { harness.files.isEmpty })
    _ = try await harness.buy(RuleProducts.coins)
    #expect(harness.watcher.updates.allSatisfy { $0.id != bought.id })
  }

  @Test("QUE-13: without a session the finish waits for the account's next login, and no end of a session waits for it")
  func finishWithoutSession() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.disturb(.finish, with: .fail(.connection), .fail(.notSignedIn))
    harness.queue.finishTransaction(bought)
    harness.account.signOut()
    await harness.account.beforeRevoking?(QueueHarness.alice.accountID)
    let finished = await harness.store.rules.orders[bought.id]?.finished
    #expect(finished == false)
    let finishCount = await harness.store.count(of: .finish)
    #expect(finishCount == 2)
    await harness.account.signIn(QueueHarness.alice)
    await harness.store.until { rules, _ in rules.orders[bought.id]?.finished == true }
    #expect(harness.watcher.states(of: bought.id) == [.purchasing, .purchased])
  }

  @Test("QUE-12, QUE-13: an account whose finishes fail lets those of the others have their turn")
  func finishesTakeTurns() throws {
    let owners = [QueueHarness.alice.accountID, QueueHarness.bob.accountID].sorted { $0.description < $1.description }
    var machine = QueueMachine(launch: "test")
    let books = try owners.enumerated().map { number, owner in
      var entry = QueueEntry(
        try .paid(QueueHarness.uuid(UInt8(40 + number))), account: owner, state: .purchased, reason: .new)
      entry.isFinished = true
      entry.owesFinish = true
      return (owner, TransactionBook([entry], cursor: nil))
    }
    var effects = machine.handle(.loaded(Dictionary(uniqueKeysWithValues: books)))
    var turns: [AccountID] = []
    for _ in 0..<4 {
      let (id, owner, round) = try #require(effects.finishes.first)
      turns.append(owner)
      _ = machine.handle(.finishAnswered(id, round: round, .serviceUnavailable))
      effects = machine.handle(.finishAgain(round: round))
    }
    #expect(turns == owners + owners)
  }

  @Test("QUE-13: a finish that had no session is sent with one that is ended as soon as it has come")
  func sessionThatIsEndedAtOnce() throws {
    let owner = QueueHarness.alice.accountID
    var entry = QueueEntry(try .paid(QueueHarness.uuid(40)), account: owner, state: .purchased, reason: .new)
    entry.isFinished = true
    entry.owesFinish = true
    var machine = QueueMachine(launch: "test")
    let (id, _, round) = try #require(
      machine.handle(.loaded([owner: TransactionBook([entry], cursor: nil)])).finishes.first)
    #expect(machine.handle(.finishAnswered(id, round: round, .notSignedIn)).finishes.isEmpty)
    let effects = machine.handle(.parting(owner))
    #expect(effects.parted.isEmpty)
    let (_, _, next) = try #require(effects.finishes.first)
    #expect(machine.handle(.finishAnswered(id, round: next, nil)).parted == [owner])
  }

  @Test("ACC-13: a process that another one keeps from the queue has no finishes to send, and lets the session end")
  func folderInUse() {
    var machine = QueueMachine(launch: "test")
    #expect(machine.handle(.parting(QueueHarness.alice.accountID)).isEmpty)
    #expect(machine.handle(.folderInUse).parted == [QueueHarness.alice.accountID])
    #expect(machine.handle(.parting(QueueHarness.bob.accountID)).parted == [QueueHarness.bob.accountID])
  }

  @Test("ACC-13: an account that owes nothing lets its session end at once; before the disk was read nothing is known")
  func nothingOwed() {
    var machine = QueueMachine(launch: "test")
    #expect(machine.handle(.parting(QueueHarness.alice.accountID)).isEmpty)
    #expect(machine.handle(.loaded([:])).parted == [QueueHarness.alice.accountID])
    #expect(machine.handle(.parting(QueueHarness.bob.accountID)).parted == [QueueHarness.bob.accountID])
    #expect(machine.sessions.ending.isEmpty)
  }

  @Test("QUE-13: a finish on another device removes it here")
  func finishedElsewhere() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    await harness.store.change { try? $0.finish(bought.id, of: QueueHarness.alice.accountID) }
    await harness.watcher.until { $0.removals.map(\.id) == [bought.id] }
    #expect(harness.queue.transactions.isEmpty)
    await harness.restart()
    _ = try await harness.buy(RuleProducts.pro)
    #expect(!harness.watcher.updates.contains { $0.id == bought.id })
  }
}

extension [QueueEffect] {
  /// The accounts whose session may be ended.
  fileprivate var finishes: [(UUID, AccountID, Int)] {
    compactMap { if case .finish(let id, let owner, let round) = $0 { (id, owner, round) } else { nil } }
  }
  fileprivate var parted: [AccountID] {
    compactMap { if case .parted(let account) = $0 { account } else { nil } }
  }
}

extension QueueMachine {
  /// A machine with Alice signed in and nothing on disk.
  static func signedIn(observed: Bool) -> QueueMachine {
    var machine = QueueMachine(launch: "test")
    let storefront = OnsideStorefront(id: "nl", countryCode: "NL")
    _ = machine.handle(.account(Member(signedIn: QueueHarness.alice, storefront: storefront)))
    _ = machine.handle(.loaded([:]))
    if observed { _ = machine.handle(.observersChanged(hasAny: true)) }
    return machine
  }
}

extension OrderMessage {
  /// A paid order for coins.
  static func paid(_ id: UUID) throws -> OrderMessage {
    let product = try #require(RuleProducts.product(RuleProducts.coins, in: .netherlands))
    return OrderMessage(
      id: OrderID(id), product: product, state: .paid, country: .netherlands, price: product.price,
      createdAt: FakeRules.date)
  }
}
