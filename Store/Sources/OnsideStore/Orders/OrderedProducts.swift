import Crypto
import Foundation
package import OnsideAPI
import Synchronization

/// A product as it was when it was ordered: texts, kind and price never change afterwards, whatever the catalogue does.
package struct OrderedProduct: Sendable {
  /// Made of the content, so that equal products are kept once and an id never means something else.
  package let id: Int64
  package let message: ProductMessage
  /// The message as the wire has it.
  package let json: [UInt8]

  init(_ message: ProductMessage) throws {
    self.init(message, json: [UInt8](try WireCoding.encoder().encode(message)))
  }

  init(_ message: ProductMessage, json: [UInt8]) {
    self.message = message
    self.json = json
    id = SHA256.hash(data: json).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
  }
}

/// Remembers ordered products, so that an order neither encodes nor looks up what many orders share. Bounded: a table
/// that is full is emptied.
package final class OrderedProducts: Sendable {
  private struct State {
    var byID: [Int64: OrderedProduct] = [:]
    var stored: Set<Int64> = []
  }

  private static let limit = 10_000
  private let state = Mutex(State())

  /// A product that was kept.
  func product(_ id: Int64, _ connection: any SQLConnection) throws -> OrderedProduct {
    if let known = state.withLock({ $0.byID[id] }) { return known }
    let row = try connection.row("SELECT message FROM order_products WHERE id = $1", [.integer(id)])
    guard let json = try row.map({ Array(try $0.text("message").utf8) }) else {
      throw StorageError.unexpectedValue(column: "ordered_product", expected: "the id of a kept product")
    }
    let product = OrderedProduct(try WireCoding.decoder().decode(ProductMessage.self, from: Data(json)), json: json)
    state.withLock { state in
      if state.byID.count >= Self.limit { state.byID = [:] }
      state.byID[id] = product
    }
    return product
  }

  /// Keeps a product, unless it is known to be kept.
  func store(_ product: OrderedProduct, _ connection: any SQLConnection) throws {
    if state.withLock({ $0.stored.contains(product.id) }) { return }
    try connection.execute(
      "INSERT INTO order_products(id, message) VALUES ($1, $2) ON CONFLICT(id) DO NOTHING",
      [.integer(product.id), .text(String(decoding: product.json, as: UTF8.self))])
  }

  /// To be called when the transaction that kept it is committed.
  func markStored(_ product: OrderedProduct) {
    state.withLock { state in
      if state.stored.count >= Self.limit { state.stored = [] }
      state.stored.insert(product.id)
    }
  }
}
