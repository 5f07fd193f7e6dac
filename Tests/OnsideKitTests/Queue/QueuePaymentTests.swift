import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Payments in the queue", .timeLimit(.minutes(5)))
struct QueuePaymentTests {
  @Test("QUE-5: the completion reports the pre-flight, then .purchasing and one final state are told")
  func order() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    #expect(harness.watcher.heard.first == .completed("coins: success"))
    #expect(harness.watcher.states(of: bought.id) == [.purchasing, .purchased])
    #expect(harness.watcher.updates.first?.transactionIdentifier == nil)
    let charges = await harness.store.rules.charges[bought.id]
    #expect(charges == 1)
  }

  @Test("QUE-6: the id is the idempotency key, the order and the transaction identifier, also after a restart")
  func identity() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.coins)
    #expect(harness.watcher.updates.map(\.id) == [bought.id, bought.id])
    #expect(bought.transactionIdentifier == bought.id.uuidString.lowercased())
    let result = await Array(harness.store.rules.orders.keys)
    #expect(result == [bought.id])
    await harness.restart()
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == bought.id)
  }

  @Test("QUE-7: the transaction is on disk before its completion succeeds and before a screen opens")
  func diskFirst() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    var (filesAtCompletion, filesBeforeScreen): ([String], [String]) = ([], [])
    harness.queue.checkpoint = { [weak harness] passed in
      if passed == .presenting { filesBeforeScreen = harness?.files ?? [] }
    }
    harness.queue.add(try harness.payment(RuleProducts.coins)) { _ in
      filesAtCompletion = harness.files
      harness.watcher.hear(.completed("done"))
    }
    await harness.watcher.until { $0.heard.contains(.completed("done")) }
    let id = try #require(harness.queue.transactions.first?.id)
    #expect(filesAtCompletion == ["\(id.uuidString.lowercased()).json"])
    await harness.store.until { _, log in log.contains(.present) }
    #expect(filesBeforeScreen == filesAtCompletion)
  }

  @Test("QUE-7: a disk that takes nothing takes no payment")
  func brokenDisk() async throws {
    let harness = try await QueueHarness()
    await harness.store.until { _, log in log.contains(.sync) }
    try FileManager.default.removeItem(at: harness.folder.appendingPathComponent("transactions"))
    try Data().write(to: harness.folder.appendingPathComponent("transactions"))
    try harness.add(RuleProducts.coins)
    await harness.watcher.until { $0.heard.contains(.completed("coins: rejectedAfterLogin")) }
    #expect(harness.queue.transactions.isEmpty)
    let orderCount = await harness.store.count(of: .order)
    #expect(orderCount == 0)
  }

  @Test(
    "QUE-15: a payment that is declined after its screen was closed fails, and does not wait for the order to expire")
  func declinedLater() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payLater)
    try harness.add(RuleProducts.coins)
    await harness.store.until { rules, _ in rules.orders.values.contains { $0.state == .processing } }
    await harness.store.until { _, log in log.contains(.check) }
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.store.change { $0.decline(id) }
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.error == .cancelled)
    let state = await harness.store.rules.orders[id]?.state
    #expect(state == .cancelled)
  }

  @Test("QUE-9: a payment whose redirect is lost settles, and its screen is closed")
  func lostRedirect() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payAndStay)
    _ = try await harness.buy(RuleProducts.coins)
    await harness.store.until { _, _ in true }
    _ = try await harness.buy(RuleProducts.pro)
    let mostScreens = await harness.store.mostScreens
    #expect(mostScreens == 1)
  }

  @Test("QUE-9: a screen that closes after a payment is not believed: the store is asked")
  func outcomeIsAsked() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payLater)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.check) }
    let id = try #require(harness.queue.transactions.first?.id)
    #expect(harness.queue.transactions.first?.transactionState == .purchasing)
    await harness.store.change { $0.pay(id) }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == id)
  }

  @Test("QUE-10: a second press while the screen is open joins the open transaction")
  func join() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    try harness.add(RuleProducts.coins)
    await harness.watcher.until { $0.heard.count { $0 == .completed("coins: success") } == 2 }
    #expect(harness.queue.transactions.count == 1)
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.store.change { $0.pay(id) }
    let firstID = try await harness.watcher.first(.purchased).id
    #expect(firstID == id)
    let orderCount = await harness.store.count(of: .order)
    #expect(orderCount == 1)
  }

  @Test("QUE-10: a double press in one turn is one order")
  func doublePress() async throws {
    let harness = try await QueueHarness()
    try harness.add(RuleProducts.coins)
    try harness.add(RuleProducts.coins)
    _ = try await harness.watcher.first(.purchased)
    #expect(harness.watcher.heard.count { $0 == .completed("coins: success") } == 2)
    let orderCount = await harness.store.rules.orders.count
    #expect(orderCount == 1)
  }

  @Test("QUE-10: buying an owned non-consumable again gives the existing purchase without a charge")
  func ownedAlready() async throws {
    let harness = try await QueueHarness()
    let first = try await harness.buy(RuleProducts.pro)
    await harness.finish(first)
    let second = try await harness.buy(RuleProducts.pro)
    #expect(second.id != first.id)
    #expect(second.originalTransactionIdentifier == first.transactionIdentifier)
    #expect(second.transactionIdentifier == first.transactionIdentifier)
    let charges = await harness.store.rules.charges
    #expect(charges == [first.id: 1])
    await harness.finish(second)
  }

  @Test("QUE-11: payments of one product run one at a time in the order added; syncs and finishes do not wait for them")
  func oneAtATime() async throws {
    let harness = try await QueueHarness()
    let bought = try await harness.buy(RuleProducts.pro)
    await harness.store.script(.stay, .pay)
    try harness.add(RuleProducts.coins)
    try harness.add(RuleProducts.coins, token: "second")
    await harness.store.until { _, log in log.count { $0 == .present } == 2 }
    await harness.finish(bought)
    await harness.store.change { _ = $0.sellElsewhere(RuleProducts.coins, to: QueueHarness.alice.accountID) }
    await harness.watcher.until { $0.updates.contains { $0.deliveryReason == .elsewhere } }
    let productIDs = await harness.store.requests.map(\.productID)
    #expect(productIDs == [RuleProducts.pro, RuleProducts.coins])
    let open = try #require(harness.queue.transactions.first { $0.transactionState == .purchasing })
    #expect(open.payment.product.productIdentifier == RuleProducts.coins)
    await harness.store.change { $0.pay(open.id) }
    await harness.watcher.until {
      $0.updates.contains { $0.payment.appAccountToken == "second" && $0.transactionState == .purchased }
    }
    let mostScreens = await harness.store.mostScreens
    #expect(mostScreens == 1)
  }

  @Test("QUE-11: while the page of one product is open, another product has its own page and is bought")
  func besideEachOther() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay, .pay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    try harness.add(RuleProducts.pro)
    let bought = try await harness.watcher.first(.purchased)
    #expect(bought.payment.product.productIdentifier == RuleProducts.pro)
    let open = try #require(harness.queue.transactions.first { $0.transactionState == .purchasing })
    #expect(open.payment.product.productIdentifier == RuleProducts.coins)
    harness.queue.cancel(open)
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.id == open.id)
  }

  @Test("QUE-15: a closed screen cancels the order and fails with .cancelled")
  func cancelled() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.closeScreen)
    try harness.add(RuleProducts.coins)
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.error == .cancelled)
    let state = await harness.store.rules.orders[failed.id]?.state
    #expect(state == .cancelled)
  }

  @Test("QUE-15: a screen that cannot be shown fails with .presentationFailed, and the order is given up")
  func presentationFailed() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.screenFails)
    try harness.add(RuleProducts.coins)
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.error == .presentationFailed)
    let state = await harness.store.rules.orders[failed.id]?.state
    #expect(state == .cancelled)
  }

  @Test(
    "QUE-15: an order that cannot be made after several tries fails with .presentationFailed, once the store confirms")
  func unreachable() async throws {
    let harness = try await QueueHarness()
    let down = FakeStore.Fault.fail(.connection)
    await harness.store.disturb(.order, with: down, down, down, down)
    await harness.store.disturb(.check, with: down, down)
    try harness.add(RuleProducts.coins)
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.error == .presentationFailed)
    #expect(await harness.store.rules.orders.isEmpty)
  }

  @Test("QUE-15: a product that the store will not sell fails with .presentationFailed")
  func refused() async throws {
    let harness = try await QueueHarness()
    harness.queue.add(OnsidePayment(product: try OnsideProduct.named("nothing")), completion: nil)
    let firstError = try await harness.watcher.first(.failed).error
    #expect(firstError == .presentationFailed)
  }

  @Test(
    "QUE-9, QUE-23: a lost answer, a repeated call, a store that is away and a portal in between change nothing",
    arguments: [FakeStore.Call.order, .check, .cancel, .finish],
    [FakeStore.Fault.loseAnswer, .duplicate, .fail(.serviceUnavailable), .fail(.notTheStore("a portal"))])
  func faults(call: FakeStore.Call, fault: FakeStore.Fault) async throws {
    let harness = try await QueueHarness()
    await harness.store.disturb(call, with: fault)
    await harness.store.script(call == .cancel ? .closeScreen : .pay)
    try harness.add(RuleProducts.coins)
    let final = try await harness.watcher.first(call == .cancel ? .failed : .purchased)
    #expect(harness.watcher.states(of: final.id).count == 2)
    let orderCount = await harness.store.rules.orders.count
    #expect(orderCount == 1)
    if final.transactionState == .purchased {
      await harness.finish(final)
      let charges = await harness.store.rules.charges
      #expect(charges == [final.id: 1])
    }
  }

  @Test("QUE-18: the app's token arrives in the order and the transaction, byte for byte")
  func token() async throws {
    let harness = try await QueueHarness()
    let token = "user e\u{301}\u{1}\u{2028}" + String(repeating: "ä", count: 240)
    try harness.add(RuleProducts.coins, token: token)
    let bought = try await harness.watcher.first(.purchased)
    #expect(bought.payment.appAccountToken.map { Array($0.utf8) } == Array(token.utf8))
    let appAccountToken = await harness.store.rules.orders[bought.id]?.appAccountToken.map { Array($0.utf8) }
    #expect(appAccountToken == Array(token.utf8))
  }

  @Test("QUE-18: a token over 512 bytes is refused before anything is enqueued")
  func longToken() async throws {
    let harness = try await QueueHarness()
    let token = String(repeating: "ä", count: 257)
    try harness.add(RuleProducts.coins, token: token)
    await harness.watcher.until { $0.heard == [.completed("coins: rejectedAfterLogin")] }
    let payment = try harness.payment(RuleProducts.coins, token: token)
    await #expect { try await harness.queue.add(payment) } throws: { error in
      (error as? OnsidePaymentError)?.isAppAccountTokenTooLong == true && "\(error)".contains("514 bytes")
    }
    #expect(harness.queue.transactions.isEmpty)
    #expect(harness.files.isEmpty)
  }

  @Test("QUE-18: a token with U+0000 is refused before anything is enqueued")
  func tokenWithNull() async throws {
    let harness = try await QueueHarness()
    let payment = try harness.payment(RuleProducts.coins, token: "user\u{0}4711")
    await #expect { try await harness.queue.add(payment) } throws: { error in
      (error as? OnsidePaymentError)?.isAppAccountTokenTooLong == false && "\(error)".contains("U+0000")
    }
    #expect(harness.queue.transactions.isEmpty)
    #expect(harness.files.isEmpty)
  }

  @Test("Payments with different tokens are different wishes")
  func tokensDoNotJoin() async throws {
    let harness = try await QueueHarness()
    try harness.add(RuleProducts.coins, token: "one")
    try harness.add(RuleProducts.coins, token: "two")
    await harness.watcher.until { $0.updates.count { $0.transactionState == .purchased } == 2 }
    let result = await Set(harness.store.requests.map(\.appAccountToken))
    #expect(result == ["one", "two"])
  }

  @Test("The async forms wait for the pre-flight")
  func asyncForms() async throws {
    let harness = try await QueueHarness(signedIn: nil)
    let payment = try harness.payment(RuleProducts.coins)
    await #expect(throws: OnsidePaymentQueueAddProductError.loginDiscarded) { try await harness.queue.add(payment) }
    await #expect(throws: OnsidePaymentQueueRequestRestoreError.loginDiscarded) {
      try await harness.queue.restoreCompletedTransactions()
    }
    harness.account.nextLogin = QueueHarness.alice
    try await harness.queue.add(payment)
    #expect(harness.queue.transactions.count == 1)
  }
}

extension OnsideProduct {
  fileprivate static func named(_ id: String) throws -> OnsideProduct {
    var message = try #require(RuleProducts.product(RuleProducts.coins, in: .netherlands))
    message.id = id
    return OnsideProduct(message)
  }
}
