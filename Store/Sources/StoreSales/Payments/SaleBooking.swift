import OnsideCommerce
import StoreBase

/// Bookkeeping of paid orders: ledger entries and receipts.
struct SaleBooking: Sendable {
  let ledger: Ledger
  /// The legal entity whose receipts are numbered.
  let seller: SellerConfiguration
  /// A Boolean value that indicates whether the store has a mail server.
  let mailsReceipts: Bool
  let outbox: OutboxRecords

  /// Books a paid order, writes its receipt, which is numbered after the commit (``ReceiptNumbers``), and requests the
  /// mail with the receipt. Does nothing for a price of 0.
  func book(
    _ order: Order, provider: String, evidence: LocationEvidence = LocationEvidence(),
    in transaction: StoreTransaction
  ) throws {
    guard !order.price.isZero else { return }
    try ledger.sale(order, provider: provider, evidence: evidence, in: transaction)
    try ReceiptRecords.add(order.id, entity: seller.id, in: transaction)
    if mailsReceipts { try ReceiptMailer.request(order, by: outbox, in: transaction) }
  }
}
