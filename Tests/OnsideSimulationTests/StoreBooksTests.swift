import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import Testing

@testable import OnsideSimulation

/// The store's rules, as the simulation has them.
@Suite("Simulated store", .timeLimit(.minutes(5)))
struct StoreBooksTests {
  private let id = UUID()
  private let other = UUID()
  private let now = Date(timeIntervalSince1970: 1_800_000_000)
  private var books = StoreBooks()

  init() { books.countries = [.ada: .netherlands] }

  private var payment: PaymentID { PaymentID(order: id, number: 1) }

  @Test("STO-1: the same key and wish is one order, another wish is refused")
  func idempotency() throws {
    var books = books
    let wish = OrderRequest(productID: "coins", country: .netherlands)
    let first = try books.make(id, request: wish, for: .ada, at: now)
    let repeated = try books.make(id, request: wish, for: .ada, at: now + 5)
    #expect(repeated == first)
    #expect(throws: StoreError.self) {
      try books.make(id, request: OrderRequest(productID: "pro", country: .netherlands), for: .ada, at: now)
    }
    #expect(books.orders.count == 1)
  }

  @Test("STO-3: a payment and its refund leave the ledger at nothing")
  func ledger() throws {
    var books = books
    _ = try books.make(id, request: OrderRequest(productID: "coins", country: .netherlands), for: .ada, at: now)
    #expect(books.pay(id, at: now) == .processing)
    #expect(books.outbox == [.charge(payment)])
    books.hear(SimulatedProviderEvent(id: 1, payment: payment, kind: .succeeded), at: now)
    books.hear(SimulatedProviderEvent(id: 1, payment: payment, kind: .succeeded), at: now)
    #expect(books.orders[id]?.keepsMoney == true)
    #expect(books.ledger.count == 2)
    books.refund(id, at: now)
    books.hear(SimulatedProviderEvent(id: 2, payment: payment, kind: .refunded), at: now)
    #expect(books.orders[id]?.keepsMoney == false)
    #expect(books.ledger.filter { $0.book == .provider }.reduce(0) { $0 + $1.amount } == 0)
    #expect(books.ledger.reduce(0) { $0 + $1.amount } == 0)
  }

  @Test("an order is news for an older cursor, and for a newer one none")
  func cursor() throws {
    var books = books
    let before = books.sync(since: nil, of: .ada, at: now)
    _ = try books.make(id, request: OrderRequest(productID: "coins", country: .netherlands), for: .ada, at: now)
    #expect(books.hasNews(since: before.cursor, for: .ada))
    #expect(books.sync(since: before.cursor, of: .ada, at: now).orders.map(\.id.uuid) == [id])
    #expect(!books.hasNews(since: books.sync(since: nil, of: .ada, at: now).cursor, for: .ada))
  }

  @Test("QUE-22: a consumable belongs to one device until that was silent for the lease")
  func lease() throws {
    var books = books
    _ = try books.make(
      id, request: OrderRequest(productID: "coins", country: .netherlands), for: .ada, on: "phone", at: now)
    books.sellElsewhere("coins", to: .ada, as: other, reason: .purchase, at: now)
    _ = books.pay(id, at: now)
    books.hear(SimulatedProviderEvent(id: 1, payment: payment, kind: .succeeded), at: now + 10)
    let lifetime = StoreBooks.Lease.lifetime
    let held = try books.claim(id, of: .ada, by: "tablet", at: now + 20)
    #expect(held.delivery == DeliveryMessage(.elsewhere, seconds: Int(lifetime) - 10))
    books.renew(.ada, on: "phone", at: now + 30)
    let holder = try books.claim(id, of: .ada, by: "tablet", at: now + 29 + lifetime).delivery?.holder
    #expect(holder == .elsewhere)
    let secondHolder = try books.claim(id, of: .ada, by: "tablet", at: now + 30 + lifetime).delivery?.holder
    #expect(secondHolder == .here)
    let thirdHolder = try books.order(id, of: .ada, for: "phone", at: now + 31 + lifetime).delivery?.holder
    #expect(thirdHolder == .elsewhere)
    let fourthHolder = try books.claim(other, of: .ada, by: "tablet", at: now).delivery?.holder
    #expect(fourthHolder == .here)
    try books.finish(id, of: .ada, at: now)
    let delivery = try books.order(id, of: .ada, for: "phone", at: now).delivery
    #expect(delivery == nil)
  }

  @Test("QUE-10: what is owned is not sold again")
  func owned() throws {
    var books = books
    books.sellElsewhere("pro", to: .ada, as: id, reason: .purchase, at: now)
    let again = try books.make(
      UUID(), request: OrderRequest(productID: "pro", country: .netherlands), for: .ada, at: now)
    #expect(again.state == .paid)
    #expect(again.duplicateOf?.uuid == id)
    #expect(books.pay(again.id.uuid, at: now) == .paid)
    #expect(books.outbox.isEmpty)
  }
}

extension AccountID {
  fileprivate static let ada = AccountID(UUID())
}
