import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// Money that providers send to the store's bank account.
extension Ledger {
  /// Books a payout of a provider, or books back one that failed. One that is told again changes nothing.
  func providerPayout(_ payout: ProviderPayout, from provider: String, in transaction: StoreTransaction) throws {
    let cause = "\(provider):\(payout.reference)"
    let kinds = Set(
      try transaction.rows("SELECT kind FROM ledger WHERE order_id = $1", [.text(cause)]).map { try $0.text("kind") })
    let isSent = payout.amount.minorUnits > 0
    let (giver, receiver) = isSent ? ("provider:\(provider)", Self.bank) : (Self.bank, "provider:\(provider)")
    let amount = Money(minorUnits: abs(payout.amount.minorUnits), currency: payout.amount.currency)
    switch payout.state {
    case .paid where kinds.isEmpty:
      try post(cause, kind: "provider_payout", from: giver, to: receiver, amount: amount, in: transaction)
    case .failed where kinds == ["provider_payout"]:
      try post(cause, kind: "provider_payout_failed", from: receiver, to: giver, amount: amount, in: transaction)
    case .paid, .failed: break
    }
  }

  /// What was booked of a provider's payouts since a time, by the provider's own ids. Their causes begin with its name
  /// and a colon, after which a semicolon comes in the order of bytes.
  static func providerPayouts(
    of provider: String, since start: Date, in connection: any SQLConnection
  ) throws -> [ProviderPayout] {
    let rows = try connection.rows(
      """
      SELECT p.order_id, p.debit, p.amount, p.currency, p.created_at, f.kind AS failed FROM ledger p
      LEFT JOIN ledger f ON f.order_id = p.order_id AND f.kind = 'provider_payout_failed'
      WHERE p.order_id >= $1 AND p.order_id < $2 AND p.kind = 'provider_payout' AND p.created_at >= $3
      ORDER BY p.order_id
      """, [.text("\(provider):"), .text("\(provider);"), .date(start)])
    return try rows.map { row in
      let isSent = try row.text("debit") == bank
      let amount = try row.integer("amount")
      return ProviderPayout(
        reference: String(try row.text("order_id").dropFirst(provider.utf8.count + 1)),
        amount: Money(minorUnits: isSent ? amount : -amount, currency: try row.currency("currency")),
        state: try row.optionalText("failed") == nil ? .paid : .failed, date: try row.date("created_at"))
    }
  }
}
