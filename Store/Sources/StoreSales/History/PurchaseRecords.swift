package import Foundation
import OnsideAPI
package import OnsideCommerce
package import StoreAccounts
package import StoreBase

/// The purchases of a customer as histories tell them. Receipts, which are most of an order's bytes, are not read.
package struct PurchaseRecords: Sendable {
  package let products: OrderedProducts
  package let environment: StoreEnvironment

  package init(products: OrderedProducts, environment: StoreEnvironment) {
    self.products = products
    self.environment = environment
  }

  /// Purchases of a customer, the oldest first: those behind a position, or all; so many at most, or all.
  func purchases(
    of customer: Customer, after position: HistoryPage.Position? = nil, limit: Int? = nil,
    in transaction: StoreTransaction
  ) throws -> [InAppPurchase] {
    var arguments: [SQLValue] = [.text(customer.account), .text(customer.app)]
    var sql = Self.columns + Self.tax + Self.paid
    if let position {
      arguments += [.integer(position.milliseconds), .text(position.order)]
      sql += " AND (paid_at, id) > ($3, $4)"
    }
    sql += " ORDER BY paid_at, id"
    if let limit {
      arguments.append(.integer(limit))
      sql += " LIMIT $\(arguments.count)"
    }
    let subject = customer.subject
    return try transaction.rows(sql, arguments).map { try purchase($0, subject: subject, in: transaction) }
  }

  /// The entitlements of a customer's restorable purchases, including revoked ones, in no order.
  static func entitlements(
    of customer: Customer, products: OrderedProducts, in transaction: StoreTransaction
  ) throws -> [Entitlement] {
    try transaction.rows(
      columns + ", CAST(NULL AS BIGINT) AS tax" + paid + " AND is_restorable = 1",
      [.text(customer.account), .text(customer.app)]
    ).compactMap { Entitlement(try purchase($0, products: products, in: transaction)) }
  }

  /// The customer of an order, paid or not; nil without such an order.
  package func customer(of order: UUID, in connection: any SQLConnection) throws -> Customer? {
    try connection.row("SELECT account_id, app_id FROM orders WHERE id = $1", [.text(order.lowercase)]).map {
      Customer(account: try $0.text("account_id"), app: try $0.text("app_id"))
    }
  }

  /// The purchases of an order's chain, the oldest first: the first order, all later periods of its subscription, and
  /// the grants that replace one of them. A duplicate belongs to the chain of the purchase for which it stands. Empty
  /// for an order that is not paid.
  ///
  /// Purchases of a removed account have no pseudonym.
  package func chain(
    of order: UUID, of customer: Customer, in transaction: StoreTransaction
  ) throws -> [InAppPurchase] {
    // A grant may replace another grant.
    let first = try transaction.row(
      """
      WITH RECURSIVE origins(id, origin) AS (
        SELECT p.id, NULLIF(COALESCE(p.original_order_id, p.reinstates), p.id)
        FROM orders o JOIN orders p ON p.id = COALESCE(o.duplicate_of, o.id)
        WHERE o.id = $1 AND p.state = 'paid' AND p.duplicate_of IS NULL AND p.paid_at IS NOT NULL
        UNION
        SELECT p.id, NULLIF(COALESCE(p.original_order_id, p.reinstates), p.id)
        FROM origins JOIN orders p ON p.id = origins.origin)
      SELECT id FROM origins WHERE origin IS NULL
      """, [.text(order.lowercase)])
    guard let first else { return [] }
    let isKnown = try AccountRecords.country(of: customer.account, in: transaction) != nil
    return try transaction.rows(
      Self.columns + Self.tax + Self.paid
        + """
         AND id IN (
          WITH RECURSIVE members(id) AS (
            SELECT p.id FROM orders p
            WHERE p.account_id = $1 AND p.app_id = $2 AND (p.id = $3 OR p.original_order_id = $3)
            UNION
            SELECT g.id FROM members JOIN orders g
              ON g.account_id = $1 AND g.app_id = $2 AND g.reinstates = members.id)
          SELECT id FROM members)
        ORDER BY paid_at, id
        """,
      [.text(customer.account), .text(customer.app), .text(first.text("id"))]
    ).map { try purchase($0, subject: isKnown ? customer.subject : nil, in: transaction) }
  }

  private static let columns = """
    SELECT id, app_id, ordered_product, quantity, country, currency, amount, reason, app_account_token, paid_at,
      expires_at, revoked_at, revocation_reason, original_order_id, offer_id, reinstates
    """
  private static let tax =
    ", (SELECT t.amount FROM ledger t WHERE t.order_id = orders.id AND t.kind = 'tax') AS tax"
  private static let paid = """
     FROM orders WHERE account_id = $1 AND app_id = $2 AND state = 'paid' AND duplicate_of IS NULL
      AND paid_at IS NOT NULL
    """

  private func purchase(_ row: SQLRow, subject: String?, in transaction: StoreTransaction) throws -> InAppPurchase {
    var purchase = try Self.purchase(row, products: products, in: transaction)
    purchase.environment = environment.ofPurchases
    purchase.subject = subject
    return purchase
  }

  /// A purchase without environment and subject.
  private static func purchase(
    _ row: SQLRow, products: OrderedProducts, in transaction: StoreTransaction
  ) throws -> InAppPurchase {
    let fields = OrderRow(row: row)
    let product = try products.product(row.integer("ordered_product"), in: transaction).message
    let price = Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency"))
    var purchase = InAppPurchase(
      orderID: try row.uuid("id"), originalOrderID: try row.optionalUUID("original_order_id"),
      bundleID: try row.text("app_id"), productID: product.id, productType: product.kind,
      quantity: Int(try row.integer("quantity")),
      price: price,
      userCountry: try row.country("country"), purchaseDate: try row.date("paid_at"),
      expiresAt: try row.optionalDate("expires_at"), subscriptionID: product.subscriptionGroupID,
      transactionReason: TransactionReason(rawValue: try row.text("reason")), revocation: try fields.revocation(),
      appAccountToken: try row.optionalText("app_account_token"), fetchedAt: transaction.now)
    purchase.offer = try row.optionalText("offer_id").flatMap { product.offer(named: $0) }.map(PurchaseOffer.init)
    purchase.reinstates = try row.optionalUUID("reinstates")
    purchase.tax = try row.optionalInteger("tax").map { Money(minorUnits: $0, currency: price.currency) }
    return purchase
  }
}
