import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Several of a consumable in one payment", .timeLimit(.minutes(5)))
struct QueueQuantityTests {
  private func payment(
    _ quantity: Int, of product: String = RuleProducts.coins, in harness: QueueHarness
  ) throws -> OnsidePayment {
    var payment = try harness.payment(product)
    payment.quantity = quantity
    return payment
  }

  @Test("QUE-30: a payment for three is one order of three, also after a restart")
  func ordered() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.payLater)
    let product = try harness.payment(RuleProducts.coins).product
    let purchase = try await harness.queue.purchase(product, quantity: 3)
    guard case .pending = purchase else {
      Issue.record("expected .pending, got \(purchase)")
      return
    }
    let quantitys = await harness.store.requests.map(\.quantity)
    #expect(quantitys == [3])
    let id = try #require(harness.queue.transactions.first?.id)
    await harness.restart()
    await harness.store.change { $0.pay(id) }
    let bought = try await harness.watcher.first(.purchased)
    #expect(bought.id == id && bought.payment.quantity == 3)
    let charges = await harness.store.rules.charges
    #expect(charges == [id: 1])
  }

  @Test("QUE-30, QUE-10: another quantity of a product is another order, the same quantity joins the first")
  func otherQuantity() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay, .pay)
    try await harness.queue.add(try payment(3, in: harness))
    await harness.store.until { _, log in log.contains(.present) }
    try await harness.queue.add(try payment(3, in: harness))
    try await harness.queue.add(try payment(1, in: harness))
    #expect(harness.queue.transactions.map(\.payment.quantity) == [3, 1])
  }

  @Test("QUE-30: beside three whose page was left, five are another order")
  func otherQuantityAfterLeaving() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.comeBack, .pay)
    try await harness.queue.add(try payment(3, in: harness))
    let first = try #require(harness.queue.transactions.first)
    #expect(await eventually { harness.queue.machine.purchases[first.id]?.phase == .left })
    try await harness.queue.add(try payment(5, in: harness))
    let second = try await harness.watcher.first(.purchased)
    #expect(second.id != first.id && second.payment.quantity == 5)
    let quantitys = await harness.store.requests.map(\.quantity)
    #expect(quantitys == [3, 5])
  }

  @Test("QUE-30: an order that the store has made in another quantity is cancelled, and no page is shown")
  func otherQuantityMade() async throws {
    let harness = try await QueueHarness()
    await harness.store.change { $0.forgetsQuantities = true }
    let product = try harness.payment(RuleProducts.coins).product
    await #expect(throws: OnsideFailure.notAvailable) { try await harness.queue.purchase(product, quantity: 3) }
    let (rules, log) = await (harness.store.rules, harness.store.log)
    #expect(rules.charges.isEmpty && rules.orders.values.map(\.state) == [.cancelled] && !log.contains(.present))
  }

  @Test("QUE-30: three that were bought elsewhere are delivered as three, and a refund takes three back")
  func elsewhere() async throws {
    let harness = try await QueueHarness()
    let id = await harness.store.change {
      $0.sellElsewhere(RuleProducts.coins, to: QueueHarness.alice.accountID, quantity: 3)
    }
    let arrived = try await harness.watcher.first(.purchased)
    #expect(arrived.id == id && arrived.payment.quantity == 3)
    await harness.finish(arrived)
    await harness.store.change { $0.refund(id) }
    await harness.watcher.until { $0.revocations.map(\.id) == [id] }
    #expect(harness.watcher.revocations.map(\.payment.quantity) == [3])
  }

  @Test(
    "QUE-30: what cannot be sold so often is refused before anything is enqueued, with its reason",
    arguments: [
      (0, RuleProducts.coins, "1 to 1000: pass at least 1"), (-3, RuleProducts.coins, "1 to 1000: pass at least 1"),
      (1001, RuleProducts.coins, "1 to 1000: split it into several payments"),
      (Int.max, RuleProducts.coins, "1 to 1000: split it into several payments"),
      (2, RuleProducts.pro, "1: pro is not a consumable, which alone is sold in quantities"),
      (2, RuleProducts.club, "1: club is not a consumable, which alone is sold in quantities"),
    ])
  func refused(quantity: Int, product: String, expected: String) async throws {
    let harness = try await QueueHarness()
    let payment = try payment(quantity, of: product, in: harness)
    harness.queue.add(payment) { [watcher = harness.watcher] in watcher.hear(.completed($0.name)) }
    await harness.watcher.until { $0.heard == [.completed("rejectedAfterLogin")] }
    await #expect { try await harness.queue.add(payment) } throws: { error in
      (error as? OnsidePaymentError)?.isQuantityInvalid == true
        && "\(error)" == "quantity is \(quantity), expected \(expected)"
    }
    #expect(harness.queue.transactions.isEmpty && harness.files.isEmpty)
  }

  @Test("QUE-30: with an offer, or for more money than an amount can hold, several are refused")
  func offerAndOverflow() throws {
    var payment = OnsidePayment(
      product: OnsideProduct(
        productIdentifier: "coins", localizedTitle: "Coins", localizedDescription: "",
        price: OnsidePrice(money: Money(minorUnits: .max / 2, currency: .eur), formatted: ""),
        productType: .consumable))
    payment.quantity = 2
    #expect(OnsidePaymentError(checking: payment) == nil)
    payment.quantity = 3
    #expect(OnsidePaymentError(checking: payment)?.description.contains("more than an amount") == true)
    payment.offer = OnsidePaymentOffer(offerIdentifier: "back")
    #expect(OnsidePaymentError(checking: payment)?.description.contains("offer") == true)
    payment.quantity = 1
    #expect(OnsidePaymentError(checking: payment) == nil)
    let decoded = try JSONDecoder().decode(OnsidePayment.self, from: JSONEncoder().encode(payment))
    #expect(decoded == payment)
  }

  @Test("QUE-30: a payment that an older version wrote is for one, and what the store tells of it counts")
  func olderFile() throws {
    var entry = QueueEntry(
      try .paid(QueueHarness.uuid(1)), account: QueueHarness.alice.accountID, state: .purchased, reason: .new)
    let text = String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
    let older = text.replacing(#","quantity":1"#, with: "").replacing(#""quantity":1,"#, with: "")
    #expect(older != text && !older.contains("quantity"))
    let read = try JSONDecoder().decode(QueueEntry.self, from: Data(older.utf8))
    #expect(read == entry && read.payment.quantity == 1)
    var order = try OrderMessage.paid(QueueHarness.uuid(1))
    order.quantity = 3
    #expect(read.revoked(by: order).payment.quantity == 3)
    // A store of an older version tells no quantity, which is read as one.
    entry.payment.quantity = 3
    let quantity = entry.revoked(by: try .paid(QueueHarness.uuid(1))).payment.quantity
    #expect(quantity == 3)
  }

  @Test("QUE-30: a claim tells how many there are, where the file of an older version does not")
  func claimed() throws {
    let id = QueueHarness.uuid(9)
    var machine = QueueMachine.signedIn(observed: true)
    var order = try OrderMessage.paid(id)
    order.delivery = DeliveryMessage(.free)
    _ = machine.handle(.synced(round: machine.sync.round, [order]))
    let step = try #require(machine.purchases[id]?.step)
    order.delivery = DeliveryMessage(.here)
    order.quantity = 3
    _ = machine.handle(.purchase(id, step: step, .told(.success(order))))
    #expect(machine.transactions.map(\.payment.quantity) == [3])
  }
}
