import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("The file of local purchases", .timeLimit(.minutes(5)))
struct LocalBookTests {
  private static let owner = "00000000-0000-7000-8000-0000000000aa"

  private static func id(_ number: Int) -> String { "00000000-0000-7000-8000-00000000000\(number)" }

  /// An order as version 1 of the file has it.
  private static func order(_ number: Int, state: String, fields: String = "", in waiting: String = "") -> String {
    """
    "\(id(number))", { "owner" : "\(owner)"\(waiting), "message" : {
      "id" : "\(id(number))", "original_order_id" : "\(id(number))", "state" : "\(state)", "reason" : "PURCHASE",
      "country" : "NL", "created_at" : 800000000, "price" : \(price),
      "product" : {
        "id" : "\(LocalFile.coins)", "kind" : "CONSUMABLE", "title" : "Coins", "description" : "All of it",
        "price" : \(price), "offers" : [ ]
      }\(fields)
    } }
    """
  }

  private static let price = #"{ "amount" : 99, "currency" : "EUR", "formatted" : "€ 0,99" }"#

  private static let text = """
    {
      "version" : 1, "id" : "00000000-0000-7000-8000-0000000000bb", "subscriptions" : [ ], "changes" : [ ],
      "accounts" : [ { "id" : "\(owner)", "name" : "Tester" } ],
      "orders" : [
        \(order(1, state: "open", fields: #", "finished" : false"#)),
        \(order(2, state: "processing", fields: #", "finished" : false"#, in: #", "waiting" : "approval""#)),
        \(order(3, state: "paid", fields: #", "finished" : true, "paid_at" : 800000001"#)),
        \(order(4, state: "paid", fields: #", "finished" : false, "revoked_at" : 800000002, "revocation_reason" : "SUPPORT""#)),
        \(order(5, state: "cancelled", fields: #", "finished" : false, "cancel_reason" : "user""#))
      ]
    }
    """

  @Test("LOC-3: purchases that an earlier version kept are read with their states")
  func read() throws {
    let book = try JSONDecoder().decode(LocalBook.self, from: Data(Self.text.utf8))
    let states = (1...5).map { number in
      OrderID(Self.id(number)).flatMap { book.orders[$0]?.message }.map { OrderState($0) }
    }
    let revocation = Revocation(date: Date(timeIntervalSinceReferenceDate: 800_000_002), reason: .support)
    #expect(
      states == [
        OrderState(), OrderState(stage: .processing), OrderState(stage: .paid, finished: true),
        OrderState(stage: .paid, revocation: revocation), OrderState(stage: .cancelled),
      ])
    #expect(OrderID(Self.id(2)).flatMap { book.orders[$0]?.waiting } == .approval)
    #expect(book.orders.values.allSatisfy { $0.message.quantity == 1 }, "QUE-30: it had no quantities")
  }

  @Test("LOC-3: a state that is read and written again is the same, so that the file has all of it")
  func state() throws {
    let book = try JSONDecoder().decode(LocalBook.self, from: Data(Self.text.utf8))
    for order in book.orders.values {
      var message = order.message
      message.apply(OrderState(message))
      #expect(message == order.message)
    }
  }

  @Test("LOC-3: what an earlier version left unsettled goes on")
  func goOn() async throws {
    let world = ClientHarness()
    try FileManager.default.createDirectory(at: world.folder, withIntermediateDirectories: true)
    try Data(Self.text.utf8).write(to: world.folder.appending(path: "local-store.json"))
    let store = LocalStore(try LocalFile.configuration(), dependencies: world.dependencies(), keepsPurchases: true)
    let ids = store.transactions(of: "Tester").map(\.id)
    try #require(ids.count == 5)
    #expect(store.approve(ids[1]) && store.refund(ids[2]))
    #expect(!store.refund(ids[3]) && !store.refund(ids[4]))
    #expect(store.transactions().map(\.state) == [.open, .purchased, .refunded, .refunded, .cancelled])
    await store.close()
  }
}
