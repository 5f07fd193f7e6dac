import Foundation
import OnsideAPI
import StoreBase
import Synchronization

/// Remembers ordered products, so that an order neither encodes nor looks up what many orders share. Bounded: a table
/// that is full is emptied.
package final class OrderedProducts: Sendable {

  package init() {
  }
  private struct State {
    var byID: [Int64: OrderedProduct] = [:]
    var stored: Set<Int64> = []
  }

  private static let limit = 10_000
  private let state = Mutex(State())

  /// A product that was kept.
  func product(_ id: Int64, in connection: any SQLConnection) throws -> OrderedProduct {
    if let known = state.withLock({ $0.byID[id] }) { return known }
    guard let json = try OrderedProductRecords.json(id, in: connection) else {
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
  func store(_ product: OrderedProduct, in transaction: StoreTransaction) throws {
    if state.withLock({ $0.stored.contains(product.id) }) { return }
    try OrderedProductRecords.insert(product, in: transaction)
  }

  /// To be called when the transaction that kept it is committed.
  func markStored(_ product: OrderedProduct) {
    state.withLock { state in
      if state.stored.count >= Self.limit { state.stored = [] }
      state.stored.insert(product.id)
    }
  }
}
