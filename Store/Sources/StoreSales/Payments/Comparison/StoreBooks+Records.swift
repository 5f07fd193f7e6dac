import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

extension StoreBooks {
  /// Reads what was made since a time.
  ///
  /// - Parameter charges: the provider's ids of charges, to find out which are the store's.
  static func read(
    of provider: String, since start: Date, charges asked: Set<String>, in connection: any SQLConnection
  ) throws -> StoreBooks {
    let charges = try connection.rows(
      "SELECT * FROM payments WHERE provider = $1 AND created_at >= $2 AND amount > 0 ORDER BY created_at, id",
      [.text(provider), .date(start)]
    ).map(charge)
    let orders = try connection.rows(
      """
      SELECT DISTINCT r.order_id FROM refunds r JOIN payments p ON p.id = r.payment_id
      WHERE p.provider = $1 AND r.asked_at >= $2 ORDER BY r.order_id
      """, [.text(provider), .date(start)]
    ).compactMap { UUID(text: try $0.text("order_id")) }
    let refunds = try orders.flatMap { try RefundRecords.refunds(of: $0, in: connection) }
    let disputes = try connection.rows(
      """
      SELECT d.id FROM disputes d JOIN payments p ON p.id = d.payment_id
      WHERE p.provider = $1 AND d.opened_at >= $2 ORDER BY d.id
      """, [.text(provider), .date(start)]
    ).compactMap { try DisputeRecords.dispute(try $0.text("id"), in: connection) }
    return StoreBooks(
      charges: charges,
      // A purchase whose whole price has gone back for a change of plan is taken away by a refund of nothing.
      refunds: refunds.filter {
        $0.askedAt >= start && $0.paymentID != nil && $0.origin != .bank && !$0.amount.isZero
      },
      disputes: disputes,
      payouts: try Ledger.providerPayouts(of: provider, since: start - ProviderPayout.longestJourney, in: connection),
      references: try references(of: provider, among: Array(asked), in: connection))
  }

  /// Those of a provider's charges that are the store's. The whole table is read once for some hundreds of them.
  private static func references(
    of provider: String, among asked: [String], in connection: any SQLConnection
  ) throws -> Set<String> {
    var known: Set<String> = []
    for start in stride(from: 0, to: asked.count, by: 500) {
      let part = asked[start..<min(start + 500, asked.count)]
      let places = part.indices.map { "$\($0 - start + 2)" }.joined(separator: ", ")
      let rows = try connection.rows(
        "SELECT reference FROM payments WHERE provider = $1 AND reference IN (\(places))",
        [.text(provider)] + part.map { .text($0) })
      known.formUnion(try rows.map { try $0.text("reference") })
    }
    return known
  }

  private static func charge(_ row: SQLRow) throws -> Charge {
    guard let state = Payment.State(rawValue: try row.text("state")) else {
      throw StorageError.unexpectedValue(column: "payments", expected: "a state")
    }
    return Charge(
      id: try row.text("id"), order: try row.text("order_id"), reference: try row.optionalText("reference"),
      amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")), state: state,
      createdAt: try row.date("created_at"))
  }
}
