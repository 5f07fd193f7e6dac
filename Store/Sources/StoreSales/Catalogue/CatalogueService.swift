import Foundation
public import OnsideCommerce
package import StoreBase

/// What the apps sell: kept as rows, read from memory.
public final class CatalogueService: Sendable {
  private struct Snapshot: Sendable {
    var catalogues: [String: Catalogue] = [:]
    var removed: [String: [String: Product]] = [:]
  }

  let database: any Database
  let clock: any StoreClock
  private let snapshot = ReloadedValue(Snapshot())
  /// Encoded answers to anonymous questions; forgotten when a catalogue changes.
  let answers = AnswerCache()

  package init(database: any Database, clock: any StoreClock) {
    self.database = database
    self.clock = clock
  }

  /// What an app sells now; empty for an app without a catalogue.
  public func catalogue(of app: String) -> Catalogue {
    snapshot.read { $0.catalogues[app] } ?? Self.nothing
  }

  /// A product of an app, also one that is no longer sold.
  public func product(_ id: String, of app: String) -> Product? {
    snapshot.read { $0.catalogues[app]?[id] ?? $0.removed[app]?[id] }
  }

  /// Makes this what an app sells. Products that are missing are no longer sold; old orders keep them.
  ///
  /// Throws ``CatalogueChangeError`` if a product with active subscriptions changes its subscription group.
  public func replace(_ catalogue: Catalogue, of app: String) async throws {
    let products = try catalogue.products.map { product in
      (id: product.id, json: String(decoding: try Self.encoder.encode(product), as: UTF8.self))
    }
    try await database.write(at: clock.now()) { transaction in
      try Self.check(catalogue, of: app, at: transaction.now, in: transaction)
      try CatalogueRecords.replace(products, of: app, language: catalogue.defaultLanguage, in: transaction)
    }
    try await reload()
  }

  /// Reads the catalogues again, after another process may have changed them.
  package func reload() async throws {
    try await snapshot.reload(readSnapshot)
    answers.removeAll()
  }

  private func readSnapshot() async throws -> Snapshot {
    let (heads, products) = try await database.read { connection in
      (try CatalogueRecords.languages(in: connection), try CatalogueRecords.products(in: connection))
    }
    var read = Snapshot()
    var sold: [String: [Product]] = [:]
    for row in products {
      let product = try JSONDecoder().decode(Product.self, from: Data(row.json.utf8))
      if row.isSold {
        sold[row.app, default: []].append(product)
      } else {
        read.removed[row.app, default: [:]][product.id] = product
      }
    }
    for head in heads {
      read.catalogues[head.app] = try Catalogue(products: sold[head.app] ?? [], defaultLanguage: head.language)
    }
    return read
  }

  private static let nothing: Catalogue = {
    guard let empty = try? Catalogue(products: []) else { preconditionFailure("No products cannot repeat") }
    return empty
  }()

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
