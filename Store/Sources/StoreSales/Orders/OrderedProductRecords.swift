import StoreBase

/// The table of ordered products, each the JSON of its message.
enum OrderedProductRecords {
  /// A product's message, in UTF-8; nil when it is not kept.
  static func json(_ id: Int64, in connection: any SQLConnection) throws -> [UInt8]? {
    let row = try connection.row("SELECT message FROM order_products WHERE id = $1", [.integer(id)])
    return try row.map { Array(try $0.text("message").utf8) }
  }

  /// Keeps a product, unless it is kept already.
  static func insert(_ product: OrderedProduct, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "INSERT INTO order_products(id, message) VALUES ($1, $2) ON CONFLICT(id) DO NOTHING",
      [.integer(product.id), .text(String(decoding: product.json, as: UTF8.self))])
  }
}
