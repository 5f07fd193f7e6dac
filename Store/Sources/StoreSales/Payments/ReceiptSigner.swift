import OnsideCommerce
import StoreBase

/// Signs the receipts of purchases.
struct ReceiptSigner: Sendable {
  let orders: OrderRecords
  let keys: SigningKeys
  let environment: StoreEnvironment

  /// Signs the purchase of an order and stores the receipt. Does nothing for an order without a purchase.
  func sign(_ order: inout Order, in transaction: StoreTransaction) throws {
    guard var purchase = order.purchase(in: environment, fetchedAt: transaction.now) else { return }
    purchase.tax = try Ledger.tax(of: order.id, in: transaction)
    let receipt = try keys.active().sign(PurchaseJSON.history([purchase]))
    order.receipt = receipt
    try orders.setReceipt(receipt, of: order.id, in: transaction)
  }
}
