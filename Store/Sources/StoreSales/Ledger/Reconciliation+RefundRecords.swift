/// Finds refunds that are not booked as they should be.
extension Reconciliation.Rule {
  static let refundQueries = [bookedQuery, totalQuery, shareQuery("tax"), shareQuery("commission"), earlierQuery]

  /// Whether an order has a refund of its price on record. Refunds from before there were records are in the ledger
  /// alone.
  static func hasRefund(_ order: String) -> String {
    "EXISTS (SELECT 1 FROM refunds w WHERE w.order_id = \(order) AND w.is_surplus = 0)"
  }

  /// Whether a kind of row belongs to a refund on record.
  static func isOfRefund(_ kind: String) -> String {
    let patterns = ["", "tax_", "commission_"].flatMap { prefix in
      ["refund", "refund_failed", "dispute", "dispute_reinstated"].map { "\(prefix)\($0):%" }
    }
    return patterns.map { "\(kind) LIKE '\($0)'" }.joined(separator: " OR ")
  }

  /// The beginning of the kinds of a refund's rows; a bank takes money by dispute.
  private static let back = "CASE f.origin WHEN 'bank' THEN 'dispute:' ELSE 'refund:' END"
  /// The beginning of the kinds of the rows that book it back.
  private static let undone = "CASE f.origin WHEN 'bank' THEN 'dispute_reinstated:' ELSE 'refund_failed:' END"

  /// Each refund has its row, the sale turned round; a failed one has that row turned round, too, and no other has.
  private static let bookedQuery = """
    SELECT f.id AS subject FROM refunds f
    LEFT JOIN ledger s ON s.order_id = f.order_id AND s.kind = 'sale'
    LEFT JOIN ledger r ON r.order_id = f.order_id AND r.kind = \(back) || f.id
    LEFT JOIN ledger x ON x.order_id = f.order_id AND x.kind = \(undone) || f.id
    WHERE f.is_surplus = 0 AND f.amount > 0 AND (s.amount IS NULL OR r.amount IS NULL OR r.amount <> f.amount
      OR r.currency <> f.currency OR r.debit <> s.credit OR r.credit <> s.debit
      OR (f.state = 'failed') <> (x.amount IS NOT NULL)
      OR x.amount IS NOT NULL AND (x.amount <> r.amount OR x.debit <> r.credit OR x.credit <> r.debit))
    """

  /// No more goes back than was paid, and each row of the ledger has its refund.
  private static let totalQuery = """
    SELECT o.id AS subject FROM orders o JOIN (
      SELECT order_id, CAST(sum(CASE WHEN state <> 'failed' THEN amount ELSE 0 END) AS BIGINT) AS total
      FROM refunds WHERE is_surplus = 0 AND origin <> 'bank' GROUP BY order_id) f ON f.order_id = o.id
    WHERE f.total > o.amount
    UNION SELECT l.order_id FROM ledger l
      LEFT JOIN refunds f ON f.order_id = l.order_id AND l.kind IN (
        \(back) || f.id, 'tax_' || \(back) || f.id, 'commission_' || \(back) || f.id,
        \(undone) || f.id, 'tax_' || \(undone) || f.id, 'commission_' || \(undone) || f.id)
      WHERE f.id IS NULL AND (\(isOfRefund("l.kind")))
    """

  /// No more of the tax or the store's share goes back than was taken, all of it with the whole price, and nothing when
  /// nothing goes back. The rows are those of the share, turned round.
  private static func shareQuery(_ share: String) -> String {
    """
    SELECT s.order_id AS subject FROM ledger s JOIN (
      SELECT order_id, CAST(sum(CASE WHEN state <> 'failed' THEN amount ELSE 0 END) AS BIGINT) AS total
      FROM refunds WHERE is_surplus = 0 GROUP BY order_id) f ON f.order_id = s.order_id
    LEFT JOIN ledger c ON c.order_id = s.order_id AND c.kind = '\(share)'
    LEFT JOIN (
      SELECT order_id,
        CAST(sum(CASE WHEN \(isUndone("kind")) THEN -amount ELSE amount END) AS BIGINT) AS total
      FROM ledger WHERE kind LIKE '\(share)_refund%:%' OR kind LIKE '\(share)_dispute%:%'
      GROUP BY order_id) n ON n.order_id = s.order_id
    WHERE s.kind = 'sale' AND (coalesce(n.total, 0) < 0 OR coalesce(n.total, 0) > coalesce(c.amount, 0)
      OR f.total = 0 AND coalesce(n.total, 0) <> 0
      OR f.total >= s.amount AND coalesce(n.total, 0) <> coalesce(c.amount, 0))
    UNION SELECT r.order_id FROM ledger r JOIN ledger c ON c.order_id = r.order_id AND c.kind = '\(share)'
    WHERE (r.kind LIKE '\(share)_refund%:%' OR r.kind LIKE '\(share)_dispute%:%') AND (r.currency <> c.currency
      OR CASE WHEN \(isUndone("r.kind")) THEN r.debit <> c.debit OR r.credit <> c.credit
        ELSE r.debit <> c.credit OR r.credit <> c.debit END)
    """
  }

  /// Whether a row books something back.
  static func isUndone(_ kind: String) -> String {
    "(\(kind) LIKE '%_failed:%' OR \(kind) LIKE '%_reinstated:%')"
  }

  /// A dispute whose money was taken has its refund, and no other has; a bank takes money by dispute only.
  static let disputeQuery = """
    SELECT d.id AS subject FROM disputes d LEFT JOIN refunds f ON f.id = d.id AND f.origin = 'bank'
    WHERE (d.is_withdrawn <> 0) <> coalesce(f.state = 'settled', FALSE)
      OR f.id IS NOT NULL AND (f.amount <> d.amount OR f.currency <> d.currency OR f.order_id <> d.order_id)
    UNION SELECT f.id FROM refunds f LEFT JOIN disputes d ON d.id = f.id WHERE f.origin = 'bank' AND d.id IS NULL
    """

  /// Sales from before refunds were recorded: one that was taken back has its rows reversed, and no other has.
  private static let earlierQuery = """
    SELECT b.order_id AS subject FROM ledger b JOIN orders o ON o.id = b.order_id
    LEFT JOIN ledger r ON r.order_id = b.order_id
      AND r.kind = CASE b.kind WHEN 'sale' THEN 'refund' ELSE b.kind || '_refund' END
    WHERE b.kind IN ('sale', 'tax', 'commission') AND NOT \(hasRefund("b.order_id"))
      AND CASE WHEN o.revoked_at IS NULL THEN r.amount IS NOT NULL
        ELSE r.amount IS NULL OR r.amount <> b.amount OR r.currency <> b.currency OR r.debit <> b.credit
          OR r.credit <> b.debit END
    GROUP BY b.order_id
    """
}
