import StoreBase

/// The tables of catalogues and their products. Products are kept as JSON.
enum CatalogueRecords {
  /// Makes these what an app sells. Products that are missing are no longer sold.
  static func replace(
    _ products: [(id: String, json: String)], of app: String, language: String, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      """
      INSERT INTO catalogues(app_id, default_language, updated_at) VALUES ($1, $2, $3)
      ON CONFLICT(app_id) DO UPDATE SET default_language = excluded.default_language, updated_at = excluded.updated_at
      """, [.text(app), .text(language), .date(transaction.now)])
    try transaction.execute(
      "UPDATE products SET removed_at = $2 WHERE app_id = $1 AND removed_at IS NULL",
      [.text(app), .date(transaction.now)])
    for (position, product) in products.enumerated() {
      try transaction.execute(
        """
        INSERT INTO products(app_id, id, position, product, removed_at) VALUES ($1, $2, $3, $4, NULL)
        ON CONFLICT(app_id, id) DO UPDATE SET
          position = excluded.position, product = excluded.product, removed_at = NULL
        """, [.text(app), .text(product.id), .integer(position), .text(product.json)])
    }
    try RevisionRecords.raise(.catalogue, in: transaction)
  }

  /// The apps that have a catalogue, each with its default language.
  static func languages(in connection: any SQLConnection) throws -> [(app: String, language: String)] {
    try connection.rows("SELECT app_id, default_language FROM catalogues").map { row in
      (try row.text("app_id"), try row.text("default_language"))
    }
  }

  /// The products of an app as JSON, also those that are no longer sold.
  static func products(of app: String, in connection: any SQLConnection) throws -> [String] {
    try connection.rows("SELECT product FROM products WHERE app_id = $1 ORDER BY position, id", [.text(app)])
      .map { try $0.text("product") }
  }

  /// All products, of each app in the catalogue's order.
  static func products(in connection: any SQLConnection) throws -> [(app: String, json: String, isSold: Bool)] {
    try connection.rows("SELECT app_id, product, removed_at FROM products ORDER BY app_id, position, id").map { row in
      (try row.text("app_id"), try row.text("product"), try row.optionalDate("removed_at") == nil)
    }
  }
}
