import Foundation
public import OnsideCommerce

/// What the apps sell: kept as rows, read from memory.
public final class CatalogueService: Sendable {
  private struct Snapshot: Sendable {
    var catalogues: [String: Catalogue] = [:]
    var removed: [String: [String: Product]] = [:]
  }

  private let database: any Database
  private let clock: any StoreClock
  private let snapshot = ReloadedValue(Snapshot())
  /// Encoded answers to anonymous questions; forgotten when a catalogue changes.
  let answers = AnswerCache()

  init(database: any Database, clock: any StoreClock) {
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
  public func replace(_ catalogue: Catalogue, of app: String) async throws {
    let now = clock.now()
    let rows = try catalogue.products.map { product in
      (product.id, String(decoding: try Self.encoder.encode(product), as: UTF8.self))
    }
    try await database.write { connection in
      try connection.execute(
        """
        INSERT INTO catalogues(app_id, default_language, updated_at) VALUES ($1, $2, $3)
        ON CONFLICT(app_id) DO UPDATE SET default_language = excluded.default_language, updated_at = excluded.updated_at
        """, [.text(app), .text(catalogue.defaultLanguage), .date(now)])
      try connection.execute(
        "UPDATE products SET removed_at = $2 WHERE app_id = $1 AND removed_at IS NULL", [.text(app), .date(now)])
      for (position, row) in rows.enumerated() {
        try connection.execute(
          """
          INSERT INTO products(app_id, id, position, product, removed_at) VALUES ($1, $2, $3, $4, NULL)
          ON CONFLICT(app_id, id) DO UPDATE SET
            position = excluded.position, product = excluded.product, removed_at = NULL
          """, [.text(app), .text(row.0), .integer(position), .text(row.1)])
      }
    }
    try await reload()
  }

  /// Reads the catalogues again, after another process may have changed them.
  func reload() async throws {
    try await snapshot.reload(readSnapshot)
    answers.removeAll()
  }

  private func readSnapshot() async throws -> Snapshot {
    let (heads, rows) = try await database.read { connection in
      (
        try connection.rows("SELECT app_id, default_language FROM catalogues"),
        try connection.rows("SELECT app_id, product, removed_at FROM products ORDER BY app_id, position")
      )
    }
    var read = Snapshot()
    var sold: [String: [Product]] = [:]
    for row in rows {
      let app = try row.text("app_id")
      let product = try JSONDecoder().decode(Product.self, from: Data(try row.text("product").utf8))
      if try row.optionalDate("removed_at") == nil {
        sold[app, default: []].append(product)
      } else {
        read.removed[app, default: [:]][product.id] = product
      }
    }
    for head in heads {
      let app = try head.text("app_id")
      read.catalogues[app] = try Catalogue(
        products: sold[app] ?? [], defaultLanguage: try head.text("default_language"))
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

extension Migration {
  static let catalogue = [
    Migration(
      4, "catalogue",
      """
      CREATE TABLE catalogues(
        app_id TEXT PRIMARY KEY, default_language TEXT NOT NULL, updated_at BIGINT NOT NULL) WITHOUT ROWID;
      CREATE TABLE products(
        app_id TEXT NOT NULL, id TEXT NOT NULL, position BIGINT NOT NULL, product TEXT NOT NULL, removed_at BIGINT,
        PRIMARY KEY (app_id, id)) WITHOUT ROWID;
      """)
  ]
}
