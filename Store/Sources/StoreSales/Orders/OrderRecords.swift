package import Foundation
import OnsideAPI
import OnsideCommerce
package import StoreAccounts
package import StoreBase

/// The tables of orders. Every call runs inside the caller's transaction.
package final class OrderRecords: Sendable {
  private static let selection = """
    SELECT o.*, r.jws FROM orders o
    LEFT JOIN receipts r ON r.order_id = coalesce(o.duplicate_of, o.id)
    """

  private static let byID = "\(selection) WHERE o.id = $1"

  package let products: OrderedProducts
  let metrics: PurchaseMetrics
  let deletedSubscribers: DeletedSubscriberRecords

  package init(products: OrderedProducts, metrics: PurchaseMetrics, deletedSubscribers: DeletedSubscriberRecords) {
    self.products = products
    self.metrics = metrics
    self.deletedSubscribers = deletedSubscribers
  }

  package func order(_ id: UUID, in connection: any SQLConnection) throws -> Order? {
    try connection.row(Self.byID, [.text(id.lowercase)]).map { try order($0, in: connection) }
  }

  /// An order of a customer; throws ``OrderError/notFound`` when there is none.
  func order(_ id: UUID, of customer: Customer, in connection: any SQLConnection) throws -> Order {
    guard let order = try order(id, in: connection), order.customer == customer else { throw OrderError.notFound }
    return order
  }

  /// Orders of a customer, the oldest change first.
  package func orders(
    _ selection: Selection, of customer: Customer, in connection: any SQLConnection
  ) throws -> [Order] {
    let (condition, arguments) = selection.condition
    let sql = "\(Self.selection) WHERE \(condition) ORDER BY o.changed, o.id"
    return try connection.rows(sql, [.text(customer.account), .text(customer.app)] + arguments)
      .map { try order($0, in: connection) }
  }

  /// All paid orders of an order's account in the order's subscription group, expired ones as well; empty when the
  /// product is no subscription.
  func subscriptions(inGroupOf order: Order, in connection: any SQLConnection) throws -> [Order] {
    guard let group = order.product.message.subscriptionGroupID else { return [] }
    return try orders(.paidSubscriptions, of: order.customer, in: connection)
      .filter { $0.product.message.subscriptionGroupID == group }
  }

  package func insert(_ order: Order, in transaction: StoreTransaction) throws {
    try products.store(order.product, in: transaction)
    // An open order has no change number, so that syncs leave it out.
    let changed =
      try order.state.stage == .open ? 0 : AccountChangeRecords.next(of: order.accountID, in: transaction)
    try OrderColumns(order: order, changed: changed, now: transaction.now).insert(in: transaction)
    try noteEvents(of: order, in: transaction)
    metrics.orderMade(in: transaction)
  }

  /// Writes all columns of an order that can change, as the account's newest change. `DeliveryLeases` alone writes the
  /// lease: an update from an older read must not restore an earlier one.
  func update(_ order: Order, in transaction: StoreTransaction) throws {
    if order.firstProduct != nil { try products.store(order.product, in: transaction) }
    let changed = try AccountChangeRecords.next(of: order.accountID, in: transaction)
    try OrderColumns(order: order, changed: changed, now: transaction.now).update(in: transaction)
    try noteEvents(of: order, in: transaction)
  }

  /// Unpaid orders and duplicates have no events.
  private func noteEvents(of order: Order, in transaction: StoreTransaction) throws {
    guard order.state.stage == .paid, order.duplicateOf == nil else { return }
    try OrderEvents.note(order.id, products: products, in: transaction)
  }

  /// Cancels an open order; leaves any other as it is, and returns false. What was begun to pay it is cancelled with
  /// ``OrderCancellation/cancel(_:because:in:)``.
  func cancel(_ order: inout Order, because reason: CancelReason, in transaction: StoreTransaction) throws -> Bool {
    // Paid or being paid: too late, and the caller sees the order as it is.
    guard let outcome = try? order.state.handle(.cancelled, at: transaction.now), outcome == .changed else {
      return false
    }
    order.cancelReason = reason
    try update(order, in: transaction)
    try OfferCodeRecords.release(of: order, in: transaction)
    metrics.orderCancelled(because: reason, in: transaction)
    return true
  }

  /// Whether the order's payment page was sent to a browser.
  func isPageOpened(_ id: UUID, in connection: any SQLConnection) throws -> Bool {
    let row = try connection.row("SELECT page_opened_at FROM orders WHERE id = $1", [.text(id.lowercase)])
    return try row?.optionalDate("page_opened_at") != nil
  }

  /// Writes down that the order's payment page was sent to a browser. It gets no change number: syncs leave it out.
  func setPageOpened(_ id: UUID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE orders SET page_opened_at = coalesce(page_opened_at, $2) WHERE id = $1",
      [.text(id.lowercase), .date(transaction.now)])
  }

  /// Sets the app's token for its user on an open order. It gets no change number: syncs leave open orders out.
  func setAccountToken(_ token: String, of id: UUID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE orders SET app_account_token = $2 WHERE id = $1 AND state = 'open'", [.text(id.lowercase), .text(token)])
  }

  func setReceipt(_ jws: String, of id: UUID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "INSERT INTO receipts(order_id, jws) VALUES ($1, $2) ON CONFLICT(order_id) DO UPDATE SET jws = excluded.jws",
      [.text(id.lowercase), .text(jws)])
  }

  private func order(_ row: SQLRow, in connection: any SQLConnection) throws -> Order {
    let fields = OrderRow(row: row)
    let product = try products.product(row.integer("ordered_product"), in: connection)
    let currency = try row.currency("currency")
    let first = try row.optionalInteger("first_ordered_product").map { try products.product($0, in: connection) }
    let firstCurrency = first?.message.price.currency ?? currency
    return Order(
      id: try row.uuid("id"), accountID: try row.text("account_id"), appID: try row.text("app_id"),
      product: product, quantity: Int(try row.integer("quantity")), country: try row.country("country"),
      price: Money(minorUnits: try row.integer("amount"), currency: currency), priceText: try row.text("price_text"),
      offerID: try row.optionalText("offer_id"),
      firstPrice: try row.optionalInteger("first_amount").map { Money(minorUnits: $0, currency: firstCurrency) },
      firstPriceText: try row.optionalText("first_price_text"), firstProduct: first, state: try fields.state(),
      cancelReason: try row.optionalText("cancel_reason").map(CancelReason.init(rawValue:)),
      reason: TransactionReason(rawValue: try row.text("reason")),
      appAccountToken: try row.optionalText("app_account_token"), language: try row.optionalText("language"),
      createdAt: try row.date("created_at"), paidAt: try row.optionalDate("paid_at"),
      expiresAt: try row.optionalDate("expires_at"), originalOrderID: try row.optionalUUID("original_order_id"),
      duplicateOf: try row.optionalUUID("duplicate_of"), reinstates: try row.optionalUUID("reinstates"),
      cause: try row.optionalText("cause").map(GrantCause.init(text:)), paymentID: try row.optionalText("payment_id"),
      receipt: try row.optionalText("jws"), lease: try fields.lease())
  }
}

/// The columns of an order.
private struct OrderColumns: TableRecord {
  static let table = "orders"
  /// A finished order keeps the date at which it was finished first.
  static let expressions = [
    "finished_at": "CASE WHEN CAST($ AS BIGINT) IS NULL THEN NULL ELSE coalesce(finished_at, $) END"
  ]

  let order: Order
  /// The number of the change.
  let changed: Int64
  let now: Date

  var key: Columns { ["id": .text(order.id.lowercase)] }

  var fixed: Columns {
    [
      "account_id": .text(order.accountID),
      "app_id": .text(order.appID),
      "product_id": .text(order.product.message.id),
      "quantity": .integer(order.quantity),
      "country": .text(order.country.alpha2),
      "app_account_token": .text(order.appAccountToken),
      "language": .text(order.language),
      "created_at": .date(order.createdAt),
      "held_by": .text(order.lease?.device),
      "held_at": .date(order.lease?.seenAt),
      "reinstates": .text(order.reinstates?.lowercase),
      "cause": .text(order.cause?.text),
    ]
  }

  var mutable: Columns {
    [
      "ordered_product": .integer(order.product.id),
      "currency": .text(order.price.currency.code),
      "amount": .integer(order.price.minorUnits),
      "price_text": .text(order.priceText),
      "offer_id": .text(order.offerID),
      "is_restorable": .bool(order.product.message.kind.isRestorable),
      "state": .text(order.state.stage.rawValue),
      "reason": .text(order.reason.rawValue),
      "paid_at": .date(order.paidAt),
      "expires_at": .date(order.expiresAt),
      "original_order_id": .text(order.originalOrderID?.lowercase),
      "duplicate_of": .text(order.duplicateOf?.lowercase),
      "changed": .integer(changed),
    ]
  }

  var updated: Columns {
    let (firstAmount, firstProduct) = (order.firstPrice?.minorUnits, order.firstProduct?.id)
    return [
      "first_ordered_product": firstProduct.map { SQLValue.integer($0) } ?? .null,
      "first_amount": firstAmount.map { SQLValue.integer($0) } ?? .null,
      "first_price_text": .text(order.firstPriceText),
      "cancel_reason": .text(order.cancelReason?.rawValue),
      "payment_id": .text(order.paymentID),
      "finished_at": order.state.finished ? .date(now) : .null,
      "revoked_at": .date(order.state.revocation?.date),
      "revocation_reason": .text(order.state.revocation?.reason.rawValue),
      "owes_refund": .bool(order.state.owesRefund),
    ]
  }
}
