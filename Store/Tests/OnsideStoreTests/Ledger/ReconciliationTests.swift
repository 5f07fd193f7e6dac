import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Reconciliation", .timeLimit(.minutes(5)))
struct ReconciliationTests {
  /// SQL statements that break each rule; $1, $2 and $3 are the ids of a sold, a refunded and a duplicate paid order.
  private static let damage: [(rule: Reconciliation.Rule, sql: String)] = [
    (.sale, "DELETE FROM ledger WHERE order_id = $1"),
    (.sale, "UPDATE ledger SET currency = 'USD' WHERE order_id = $1"),
    (.unpaid, "UPDATE orders SET state = 'cancelled', payment_id = NULL WHERE id = $1"),
    (.commission, "DELETE FROM ledger WHERE order_id = $1 AND kind = 'commission'"),
    (.commission, "UPDATE ledger SET amount = amount + 1 WHERE order_id = $1 AND kind = 'commission'"),
    (.tax, "DELETE FROM ledger WHERE order_id = $1 AND kind = 'tax'"),
    (.tax, "UPDATE ledger SET credit = 'tax:DE' WHERE order_id = $1 AND kind = 'tax'"),
    (.tax, "UPDATE ledger SET amount = amount + 1 WHERE order_id = $1 AND kind = 'tax'"),
    (.tax, "UPDATE order_taxes SET basis_points = 900 WHERE order_id = $1"),
    (.tax, "DELETE FROM order_taxes WHERE order_id = $1"),
    (.refund, "DELETE FROM ledger WHERE order_id = $2 AND kind LIKE 'tax_refund:%'"),
    (.refund, "UPDATE orders SET revoked_at = 1 WHERE id = $1"),
    (.refund, "DELETE FROM ledger WHERE order_id = $2 AND kind LIKE 'commission_refund:%'"),
    (.refund, "DELETE FROM ledger WHERE order_id = $2 AND kind LIKE 'refund:%'"),
    (.refund, "UPDATE refunds SET state = 'failed' WHERE order_id = $2"),
    (.refund, "UPDATE refunds SET amount = amount + 1 WHERE order_id = $2"),
    (.refund, "DELETE FROM refunds WHERE order_id = $2"),
    (.refund, "UPDATE ledger SET debit = 'tax:DE' WHERE order_id = $2 AND kind LIKE 'tax_refund:%'"),
    (
      .dispute,
      """
      INSERT INTO disputes(
        id, order_id, payment_id, amount, currency, reason, state, is_withdrawn, opened_at)
      SELECT 'd', id, payment_id, amount, currency, 'general', 'open', 1, 0 FROM orders WHERE id = $1
      """
    ),
    (.dispute, "UPDATE refunds SET origin = 'bank' WHERE order_id = $2"),
    (
      .fee,
      """
      INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at)
      VALUES ($1, 'provider_fee:t', 'app:other', 'provider:sandbox', 1, 'EUR', 0)
      """
    ),
    (.payment, "UPDATE payments SET state = 'started' WHERE order_id = $1"),
    (.payment, "UPDATE orders SET payment_id = 'other' WHERE id = $1"),
    (
      .payment,
      """
      INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at)
      SELECT order_id, 'surplus:' || id, 'provider:sandbox', 'store:refunds_due', amount, currency, 0 FROM payments
      WHERE order_id = $1
      """
    ),
    (.surplus, "DELETE FROM ledger WHERE order_id = $3 AND kind LIKE 'surplus:%'"),
    (.surplus, "UPDATE ledger SET amount = 1 WHERE order_id = $3 AND kind LIKE 'surplus:%'"),
    (
      .surplus,
      """
      INSERT INTO refunds(id, order_id, payment_id, amount, currency, is_surplus, reason, origin, state, asked_at)
      SELECT 'once more', order_id, payment_id, 1, currency, 1, reason, origin, 'settled', 0 FROM refunds
      WHERE order_id = $3
      """
    ),
    (
      .payout,
      """
      INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at)
      SELECT 'sandbox:p', 'provider_payout', 'store:bank', 'app:other', 1, 'EUR', 0 FROM orders WHERE id = $1
      """
    ),
    (
      .payout,
      """
      INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at)
      SELECT 'sandbox:p', 'provider_payout_failed', 'provider:sandbox', 'store:bank', 1, 'EUR', 0 FROM orders
      WHERE id = $1
      """
    ),
    (.row, "UPDATE ledger SET kind = 'gift' WHERE order_id = $1 AND kind = 'commission'"),
    (.row, "UPDATE ledger SET order_id = 'nobody' WHERE order_id = $3 AND kind LIKE 'surplus_refund%'"),
    (.sum, "UPDATE ledger SET debit = 'app:other' WHERE order_id = $2 AND kind LIKE 'refund:%'"),
    (
      .provider,
      "UPDATE sandbox_payments SET kind = 'declined' WHERE id = (SELECT payment_id FROM orders WHERE id = $1)"
    ),
    (.provider, "UPDATE sandbox_payments SET amount = 1 WHERE id = (SELECT payment_id FROM orders WHERE id = $1)"),
  ]

  @Test("STO-3: every rule of the reconciliation bites when it is broken", arguments: damage.indices)
  func bites(index: Int) async throws {
    let (rule, sql) = Self.damage[index]
    try await TestStore().shop { shopper in
      let store = shopper.store
      try await store.core.tax.add([
        try TaxRate(country: .netherlands, basisPoints: 2100, firstDay: "2012-10-01", source: "test")
      ])
      let sold = try await shopper.buy("coins")
      let refunded = try await shopper.buy("season")
      try await store.core.orders.refund(refunded.id.uuid, because: .support)
      let twice = try await shopper.order("remove_ads")
      let outcome = try await shopper.pay(twice, with: .settlesLater)
      #expect(outcome == .pending)
      try await shopper.buy("remove_ads")
      for _ in 0..<3 {
        store.advance(by: .seconds(15))
        try await store.core.deliverOutbox()
      }
      let database = store.core.dependencies.database
      let actualFaults = try await database.read { try Reconciliation($0).faults() }
      #expect(actualFaults == [])
      let ids = [sold.id, refunded.id, twice.id].map { SQLValue.text($0.description) }
      try await database.write { connection in
        let triggers =
          TestDatabase.isPostgres
          ? ["ledger_is_never_changed ON ledger"] : ["ledger_is_never_changed", "ledger_is_never_deleted"]
        for trigger in triggers { try connection.execute("DROP TRIGGER \(trigger)") }
        let count = (1...3).last { sql.contains("$\($0)") } ?? 0
        let answer = try connection.execute(sql, Array(ids.prefix(count)))
        #expect(answer > 0, "\(sql)")
      }
      let faults = try await database.read { try Reconciliation($0).faults() }
      #expect(faults.contains { $0.rule == rule }, "\(sql): \(faults)")
    }
  }
}
