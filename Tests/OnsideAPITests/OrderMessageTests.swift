import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@Suite("Orders on the wire", .timeLimit(.minutes(5)))
struct OrderMessageTests {
  private static func order(_ more: String = "") -> String {
    let id = "00000000-0000-7000-8000-000000000001"
    let price = #"{"amount":99,"currency":"EUR","formatted":"€ 0,99"}"#
    return """
      {"id":"\(id)","state":"paid","reason":"PURCHASE","country":"NL","price":\(price),\
      "created_at":"2027-01-15T08:00:00Z","finished":false,"original_order_id":"\(id)",\
      "product":{"id":"coins","kind":"CONSUMABLE","title":"A","description":"","offers":[],"price":\(price)}\(more)}
      """
  }

  private func read(_ text: String) throws -> OrderMessage {
    try WireCoding.decoder().decode(OrderMessage.self, from: Data(text.utf8))
  }

  @Test("QUE-30: an order of a store that tells no quantity is of one, and equal to one that says so")
  func missing() throws {
    let order = try read(Self.order())
    #expect(order.quantity == 1)
    let stored = try read(Self.order(#","quantity":1"#))
    #expect(stored == order)
    let secondStored = try read(Self.order(#","quantity":3"#))
    #expect(secondStored != order)
  }

  @Test("QUE-30: an order with every field is the same after it was written and read again")
  func roundTrip() throws {
    var order = try read(Self.order(#","quantity":3"#))
    let other = OrderID(UUID(uuidString: "00000000-0000-7000-8000-000000000002") ?? UUID())
    (order.cancelReason, order.appAccountToken, order.finished) = (.expired, "u", true)
    order.finishedHere = true
    (order.paidAt, order.expiresAt, order.revokedAt) = (order.createdAt, order.createdAt, order.createdAt)
    (order.delivery, order.revocationReason) = (DeliveryMessage(.elsewhere, seconds: 9), .support)
    (order.originalOrderID, order.duplicateOf, order.reinstates) = (other, other, other)
    (order.paymentURL, order.receipt) = (URL(string: "https://store.example/pay/t"), "a.b.c")
    for (name, value) in Mirror(reflecting: order).children {
      #expect("\(value)" != "nil", "\(name ?? "") is to be set above")
    }
    let text = String(decoding: try WireCoding.encoder().encode(order), as: UTF8.self)
    #expect(text.contains(#""quantity":3"#))
    let stored = try read(text)
    #expect(stored == order)
  }

  @Test(
    "QUE-26: an order of none, of more than can be, or of no whole number, is not understood",
    arguments: ["0", "-1", "1.5", #""3""#, "1000001", "9223372036854775807"])
  func broken(quantity: String) {
    #expect(throws: DecodingError.self) { try read(Self.order(#","quantity":\#(quantity)"#)) }
  }
}
