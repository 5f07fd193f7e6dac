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
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.coins)
    #expect(rig.watcher.heard.first == .completed("coins: success"))
    #expect(rig.watcher.states(of: bought.id) == [.purchasing, .purchased])
    #expect(rig.watcher.updates.first?.transactionIdentifier == nil)
    #expect(await rig.store.rules.charges[bought.id] == 1)
  }

  @Test("QUE-6: the id is the idempotency key, the order and the transaction identifier, also after a restart")
  func identity() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.coins)
    #expect(rig.watcher.updates.map(\.id) == [bought.id, bought.id])
    #expect(bought.transactionIdentifier == bought.id.uuidString.lowercased())
    #expect(await Array(rig.store.rules.orders.keys) == [bought.id])
    await rig.restart()
    #expect(try await rig.watcher.first(.purchased).id == bought.id)
  }

  @Test("QUE-7: the transaction is on disk before its completion succeeds and before a screen opens")
  func diskFirst() async throws {
    let rig = try await Rig()
    await rig.store.script(.stay)
    var filesAtCompletion: [String] = []
    rig.queue.add(try rig.payment(Goods.coins)) { _ in
      filesAtCompletion = rig.files
      rig.watcher.hear(.completed("done"))
    }
    await rig.watcher.until { $0.heard.contains(.completed("done")) }
    let id = try #require(rig.queue.transactions.first?.id)
    #expect(filesAtCompletion == ["\(id.uuidString.lowercased()).json"])
  }

  @Test("QUE-7: a disk that takes nothing takes no payment")
  func brokenDisk() async throws {
    let rig = try await Rig()
    await rig.store.until { _, log in log.contains(.sync) }
    try FileManager.default.removeItem(at: rig.folder.appendingPathComponent("transactions"))
    try Data().write(to: rig.folder.appendingPathComponent("transactions"))
    try rig.add(Goods.coins)
    await rig.watcher.until { $0.heard.contains(.completed("coins: rejectedAfterLogin")) }
    #expect(rig.queue.transactions.isEmpty)
    #expect(await rig.store.count(of: .order) == 0)
  }

  @Test(
    "QUE-15: a payment that is declined after its screen was closed fails, and does not wait for the order to expire")
  func declinedLater() async throws {
    let rig = try await Rig()
    await rig.store.script(.payLater)
    try rig.add(Goods.coins)
    await rig.store.until { rules, _ in rules.orders.values.contains { $0.state == .processing } }
    await rig.store.until { _, log in log.contains(.check) }
    let id = try #require(rig.queue.transactions.first?.id)
    await rig.store.change { $0.decline(id) }
    let failed = try await rig.watcher.first(.failed)
    #expect(failed.error == .cancelled)
    #expect(await rig.store.rules.orders[id]?.state == .cancelled)
  }

  @Test("QUE-9: a payment whose redirect is lost settles, and its screen is closed")
  func lostRedirect() async throws {
    let rig = try await Rig()
    await rig.store.script(.payAndStay)
    _ = try await rig.buy(Goods.coins)
    await rig.store.until { _, _ in true }
    _ = try await rig.buy(Goods.pro)
    #expect(await rig.store.mostScreens == 1)
  }

  @Test("QUE-9: a screen that closes after a payment is not believed: the store is asked")
  func outcomeIsAsked() async throws {
    let rig = try await Rig()
    await rig.store.script(.payLater)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.check) }
    let id = try #require(rig.queue.transactions.first?.id)
    #expect(rig.queue.transactions.first?.transactionState == .purchasing)
    await rig.store.change { $0.pay(id) }
    #expect(try await rig.watcher.first(.purchased).id == id)
  }

  @Test("QUE-10: a second press while the screen is open joins the open transaction")
  func join() async throws {
    let rig = try await Rig()
    await rig.store.script(.stay)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.present) }
    try rig.add(Goods.coins)
    await rig.watcher.until { $0.heard.count { $0 == .completed("coins: success") } == 2 }
    #expect(rig.queue.transactions.count == 1)
    let id = try #require(rig.queue.transactions.first?.id)
    await rig.store.change { $0.pay(id) }
    #expect(try await rig.watcher.first(.purchased).id == id)
    #expect(await rig.store.count(of: .order) == 1)
  }

  @Test("QUE-10: a double press in one turn is one order")
  func doublePress() async throws {
    let rig = try await Rig()
    try rig.add(Goods.coins)
    try rig.add(Goods.coins)
    _ = try await rig.watcher.first(.purchased)
    #expect(rig.watcher.heard.count { $0 == .completed("coins: success") } == 2)
    #expect(await rig.store.rules.orders.count == 1)
  }

  @Test("QUE-10: buying an owned non-consumable again gives the existing purchase without a charge")
  func ownedAlready() async throws {
    let rig = try await Rig()
    let first = try await rig.buy(Goods.pro)
    await rig.finish(first)
    let second = try await rig.buy(Goods.pro)
    #expect(second.id != first.id)
    #expect(second.originalTransactionIdentifier == first.transactionIdentifier)
    #expect(second.transactionIdentifier == first.transactionIdentifier)
    #expect(await rig.store.rules.charges == [first.id: 1])
    await rig.finish(second)
  }

  @Test("QUE-11: payments run one at a time in the order added, and syncs and finishes do not wait for them")
  func oneAtATime() async throws {
    let rig = try await Rig()
    let bought = try await rig.buy(Goods.pro)
    await rig.store.script(.stay, .pay)
    try rig.add(Goods.coins)
    try rig.add(Goods.club)
    await rig.store.until { _, log in log.count { $0 == .present } == 2 }
    await rig.finish(bought)
    await rig.store.change { _ = $0.sellElsewhere(Goods.coins, to: Rig.alice.accountID) }
    await rig.watcher.until { $0.updates.contains { $0.deliveryReason == .elsewhere } }
    #expect(await rig.store.requests.map(\.productID) == [Goods.pro, Goods.coins])
    let open = try #require(rig.queue.transactions.first { $0.transactionState == .purchasing })
    #expect(open.payment.product.productIdentifier == Goods.coins)
    await rig.store.change { $0.pay(open.id) }
    await rig.watcher.until {
      $0.updates.contains {
        $0.payment.product.productIdentifier == Goods.club && $0.transactionState == .purchased
      }
    }
    #expect(await rig.store.mostScreens == 1)
  }

  @Test("QUE-15: a closed screen cancels the order and fails with .cancelled")
  func cancelled() async throws {
    let rig = try await Rig()
    await rig.store.script(.closeScreen)
    try rig.add(Goods.coins)
    let failed = try await rig.watcher.first(.failed)
    #expect(failed.error == .cancelled)
    #expect(await rig.store.rules.orders[failed.id]?.state == .cancelled)
  }

  @Test("QUE-15: a screen that cannot be shown fails with .presentationFailed, and the order is given up")
  func presentationFailed() async throws {
    let rig = try await Rig()
    await rig.store.script(.screenFails)
    try rig.add(Goods.coins)
    let failed = try await rig.watcher.first(.failed)
    #expect(failed.error == .presentationFailed)
    #expect(await rig.store.rules.orders[failed.id]?.state == .cancelled)
  }

  @Test(
    "QUE-15: an order that cannot be made after several tries fails with .presentationFailed, once the store confirms")
  func unreachable() async throws {
    let rig = try await Rig()
    let down = FakeStore.Fault.fail(.connection)
    await rig.store.disturb(.order, down, down, down, down)
    await rig.store.disturb(.check, down, down)
    try rig.add(Goods.coins)
    let failed = try await rig.watcher.first(.failed)
    #expect(failed.error == .presentationFailed)
    #expect(await rig.store.rules.orders.isEmpty)
  }

  @Test("QUE-15: a product that the store will not sell fails with .presentationFailed")
  func refused() async throws {
    let rig = try await Rig()
    rig.queue.add(OnsidePayment(product: try OnsideProduct.named("nothing")), completion: nil)
    #expect(try await rig.watcher.first(.failed).error == .presentationFailed)
  }

  @Test(
    "QUE-9, QUE-23: a lost answer, a repeated call, a store that is away and a portal in between change nothing",
    arguments: [FakeStore.Call.order, .check, .cancel, .finish],
    [FakeStore.Fault.loseAnswer, .duplicate, .fail(.serviceUnavailable), .fail(.notTheStore("a portal"))])
  func faults(call: FakeStore.Call, fault: FakeStore.Fault) async throws {
    let rig = try await Rig()
    await rig.store.disturb(call, fault)
    await rig.store.script(call == .cancel ? .closeScreen : .pay)
    try rig.add(Goods.coins)
    let final = try await rig.watcher.first(call == .cancel ? .failed : .purchased)
    #expect(rig.watcher.states(of: final.id).count == 2)
    #expect(await rig.store.rules.orders.count == 1)
    if final.transactionState == .purchased {
      await rig.finish(final)
      #expect(await rig.store.rules.charges == [final.id: 1])
    }
  }

  @Test("QUE-18: the app's token arrives in the order and the transaction, byte for byte")
  func token() async throws {
    let rig = try await Rig()
    let token = "user e\u{301}\u{0}\u{2028}" + String(repeating: "ä", count: 240)
    try rig.add(Goods.coins, token: token)
    let bought = try await rig.watcher.first(.purchased)
    #expect(bought.payment.appAccountToken.map { Array($0.utf8) } == Array(token.utf8))
    #expect(await rig.store.rules.orders[bought.id]?.appAccountToken.map { Array($0.utf8) } == Array(token.utf8))
  }

  @Test("QUE-18: a token over 512 bytes is refused before anything is enqueued")
  func longToken() async throws {
    let rig = try await Rig()
    let token = String(repeating: "ä", count: 257)
    try rig.add(Goods.coins, token: token)
    await rig.watcher.until { $0.heard == [.completed("coins: rejectedAfterLogin")] }
    let payment = try rig.payment(Goods.coins, token: token)
    await #expect { try await rig.queue.add(payment) } throws: { error in
      (error as? OnsidePaymentError)?.isAppAccountTokenTooLong == true && "\(error)".contains("514 bytes")
    }
    #expect(rig.queue.transactions.isEmpty)
    #expect(rig.files.isEmpty)
  }

  @Test("Payments with different tokens are different wishes")
  func tokensDoNotJoin() async throws {
    let rig = try await Rig()
    try rig.add(Goods.coins, token: "one")
    try rig.add(Goods.coins, token: "two")
    await rig.watcher.until { $0.updates.count { $0.transactionState == .purchased } == 2 }
    #expect(await Set(rig.store.requests.map(\.appAccountToken)) == ["one", "two"])
  }

  @Test("The async forms wait for the pre-flight")
  func asyncForms() async throws {
    let rig = try await Rig(signedIn: nil)
    let payment = try rig.payment(Goods.coins)
    await #expect(throws: OnsidePaymentQueueAddProductError.loginDiscarded) { try await rig.queue.add(payment) }
    await #expect(throws: OnsidePaymentQueueRequestRestoreError.loginDiscarded) {
      try await rig.queue.restoreCompletedTransactions()
    }
    rig.account.nextLogin = Rig.alice
    try await rig.queue.add(payment)
    #expect(rig.queue.transactions.count == 1)
  }
}

extension OnsideProduct {
  fileprivate static func named(_ id: String) throws -> OnsideProduct {
    var message = try #require(Goods.product(Goods.coins, in: .netherlands))
    message.id = id
    return OnsideProduct(message)
  }
}
