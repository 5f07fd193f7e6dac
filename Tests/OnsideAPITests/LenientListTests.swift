import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@Suite("Messages with items that are not understood", .timeLimit(.minutes(5)))
struct LenientListTests {
  private static let price = #"{"amount":499,"currency":"EUR","formatted":"€ 4,99"}"#

  private static func product(_ id: String, currency: String = "EUR", offers: String = "[]") -> String {
    """
    {"id":"\(id)","kind":"A_KIND_OF_THE_FUTURE","title":"A","description":"","offers":\(offers),\
    "price":{"amount":499,"currency":"\(currency)","formatted":"4,99"}}
    """
  }

  private static func order(_ id: String, state: String = "paid", product: String = product("a")) -> String {
    """
    {"id":"\(id)","state":"\(state)","reason":"PURCHASE","country":"NL","price":\(price),\
    "created_at":"2027-01-15T08:00:00Z","finished":false,"original_order_id":"\(id)","product":\(product)}
    """
  }

  private func decode<Message: Decodable>(_ type: Message.Type, from text: String) throws -> Message {
    try WireCoding.decoder().decode(type, from: Data(text.utf8))
  }

  @Test("PRD-10: a product in an unknown currency is an invalid identifier, the others are read")
  func products() throws {
    let message = try decode(
      ProductsMessage.self,
      from: """
        {"country":"NL","products":[\(Self.product("a", currency: "XYZ")),\(Self.product("b")),7,null],\
        "invalid_product_ids":["c"]}
        """)
    #expect(message.products.map(\.id) == ["b"])
    #expect(message.invalidProductIDs == ["c", "a"])
    #expect(message.unread.map(\.id) == ["a", nil, nil])
    #expect(message.unread[0].reason.hasPrefix("price.currency: "))
  }

  @Test("PRD-10: an offer that is not understood is left out, and the product is sold without it")
  func offers() throws {
    func offer(_ period: String) -> String {
      """
      {"id":"\(period)","kind":"A","mode":"B","period":"\(period)","period_count":1,"price":\(Self.price)}
      """
    }
    let product = try decode(
      ProductMessage.self, from: Self.product("a", offers: "[\(offer("a fortnight")),\(offer("P1W"))]"))
    #expect(product.offers.map(\.id) == ["P1W"])
    #expect(product.unreadOffers.map(\.id) == ["a fortnight"])
  }

  @Test(
    "QUE-26: an order that is not understood does not stop the others",
    arguments: [
      order("00000000-0000-7000-8000-000000000001", state: "disputed"),
      order("00000000-0000-7000-8000-000000000001", product: product("a", currency: "XYZ")), "{}", "[]", "\"\"", "null",
    ])
  func orders(poison: String) throws {
    let good = ["2", "3"].map { Self.order("00000000-0000-7000-8000-00000000000\($0)") }
    let orders = "[\(good[0]),\(poison),\(good[1])]"
    let sync = try decode(SyncMessage.self, from: #"{"cursor":"c","country":"NL","orders":\#(orders)}"#)
    #expect(sync.orders.count == 2 && sync.unread.count == 1)
    let restorable = try decode(RestorableMessage.self, from: #"{"orders":\#(orders)}"#)
    #expect(restorable.orders.count == 2 && restorable.unread.count == 1)
  }

  @Test("What was not read is not written, and an answer without its lists is still refused")
  func wire() throws {
    let sync = try decode(SyncMessage.self, from: #"{"cursor":"c","country":"NL","orders":[{}]}"#)
    let text = String(decoding: try WireCoding.encoder().encode(sync), as: UTF8.self)
    #expect(text == #"{"country":"NL","cursor":"c","orders":[],"starts_over":false}"#)
    #expect(throws: DecodingError.self) { try decode(SyncMessage.self, from: #"{"cursor":"c","country":"NL"}"#) }
    #expect(throws: DecodingError.self) { try decode(RestorableMessage.self, from: "{}") }
  }
}
