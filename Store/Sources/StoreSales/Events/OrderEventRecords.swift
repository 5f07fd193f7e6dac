import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// A paid order with its newest event.
struct KnownOrder {
  let object: OrderObject
  let customer: Customer
  let newest: NewestEvent?
  /// The lowest sequence of new events.
  let base: Int64
  /// A Boolean value that indicates whether the customer has no event.
  let isFirstOfCustomer: Bool

  /// A Boolean value that indicates whether the customer's events depend on the order: a consumable gives no
  /// entitlement.
  var concernsCustomer: Bool { isFirstOfCustomer || object.purchase.productType.isRestorable }
}

/// Reads the objects of orders.
enum OrderEventRecords {
  /// One query for an order without refunds and disputes, which is most paid orders.
  private static let query = """
    SELECT o.id, o.account_id, o.app_id, o.ordered_product, o.quantity, o.country, o.currency, o.amount, o.reason,
      o.app_account_token, o.paid_at, o.expires_at, o.revoked_at, o.revocation_reason, o.original_order_id, o.offer_id,
      o.reinstates, o.cause,
      (SELECT t.amount FROM ledger t WHERE t.order_id = o.id AND t.kind = 'tax') AS tax,
      CAST(CASE WHEN EXISTS (SELECT 1 FROM refunds r WHERE r.order_id = o.id)
        OR EXISTS (SELECT 1 FROM disputes d WHERE d.order_id = o.id) THEN 1 ELSE 0 END AS BIGINT) AS has_parts,
      (SELECT value FROM settings WHERE name = 'environment') AS environment,
      (SELECT value FROM settings WHERE name = $2) AS base,
      (SELECT c.subject FROM merchant_customers c WHERE c.account_id = o.account_id AND c.app_id = o.app_id)
        AS customer_subject,
      (SELECT a.id FROM accounts a WHERE a.id = o.account_id AND a.removed_at IS NULL) AS present_account,
      e.position, e.sequence, e.subject, e.data
    FROM orders o LEFT JOIN merchant_events e ON e.position = (
      SELECT n.position FROM merchant_events n WHERE n.app_id = o.app_id AND n.kind = 'order' AND n.object_id = o.id
      ORDER BY n.sequence DESC LIMIT 1)
    WHERE o.id = $1 AND o.state = 'paid' AND o.duplicate_of IS NULL AND o.paid_at IS NOT NULL
    """

  /// A paid order; nil for an unpaid one and for a duplicate.
  static func order(
    _ id: UUID, products: OrderedProducts, at now: Date, in connection: any SQLConnection
  ) throws -> KnownOrder? {
    let row = try connection.row(query, [.text(id.lowercase), .text(SyncEpoch.sequenceBaseName)])
    guard let row else { return nil }
    let customer = Customer(account: try row.text("account_id"), app: try row.text("app_id"))
    let newest = try MerchantEventRecords.newest(row)
    // The account of a removed account's orders is another one than that of their customer.
    let known = try row.optionalText("customer_subject")
    let present = try row.optionalText("present_account")
    let subject = newest?.subject ?? known ?? present.map { _ in customer.subject }
    let purchase = try purchase(row, subject: subject, products: products, at: now, in: connection)
    var standing = OrderStanding(refunds: [], disputes: [], revokedAt: purchase.revocation?.date)
    if try row.bool("has_parts") {
      standing.refunds = try RefundRecords.refunds(of: id, in: connection).filter { !$0.isSurplus }
        .map { OrderStanding.RefundPart($0) }
      standing.disputes = try DisputeRecords.disputes(of: id, in: connection).map {
        OrderStanding.DisputePart($0)
      }
    }
    let cause = try row.optionalText("cause").map { GrantCause(text: $0).party }
    return KnownOrder(
      object: OrderObject(purchase: purchase, grantCause: cause, standing: standing), customer: customer,
      newest: newest, base: try MerchantEventRecords.base(row), isFirstOfCustomer: known == nil)
  }

  private static func purchase(
    _ row: SQLRow, subject: String?, products: OrderedProducts, at now: Date, in connection: any SQLConnection
  ) throws -> InAppPurchase {
    let product = try products.product(row.integer("ordered_product"), in: connection).message
    let price = Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency"))
    var purchase = InAppPurchase(
      orderID: try row.uuid("id"), originalOrderID: try row.optionalUUID("original_order_id"),
      bundleID: try row.text("app_id"), productID: product.id, productType: product.kind,
      quantity: Int(try row.integer("quantity")), price: price, userCountry: try row.country("country"),
      purchaseDate: try row.date("paid_at"), expiresAt: try row.optionalDate("expires_at"),
      subscriptionID: product.subscriptionGroupID,
      transactionReason: TransactionReason(rawValue: try row.text("reason")),
      revocation: try OrderRow(row: row).revocation(), appAccountToken: try row.optionalText("app_account_token"),
      environment: try row.optionalText("environment").flatMap { StoreEnvironment(rawValue: $0)?.ofPurchases },
      subject: subject, fetchedAt: now)
    purchase.offer = try row.optionalText("offer_id").flatMap { product.offer(named: $0) }.map(PurchaseOffer.init)
    purchase.reinstates = try row.optionalUUID("reinstates")
    purchase.tax = try row.optionalInteger("tax").map { Money(minorUnits: $0, currency: price.currency) }
    return purchase
  }
}
