/// Finds refunds that are not booked as they should be.
extension Reconciliation.Rule {
  static let refundQueries = [bookedQuery, totalQuery, shareQuery, earlierQuery]

  /// Whether an order has a refund of its price on record. Refunds from before there were records are in the ledger
  /// alone.
  static func hasRefund(_ order: String) -> String {
    "EXISTS (SELECT 1 FROM refunds w WHERE w.order_id = \(order) AND w.is_surplus = 0)"
  }

  /// Each refund has its row, the sale turned round; a failed one has that row turned round, too, and no other has.
  private static let bookedQuery = """
    SELECT f.id AS subject FROM refunds f
    LEFT JOIN ledger s ON s.order_id = f.order_id AND s.kind = 'sale'
    LEFT JOIN ledger r ON r.order_id = f.order_id AND r.kind = 'refund:' || f.id
    LEFT JOIN ledger x ON x.order_id = f.order_id AND x.kind = 'refund_failed:' || f.id
    WHERE f.is_surplus = 0 AND f.amount > 0 AND (s.amount IS NULL OR r.amount IS NULL OR r.amount <> f.amount
      OR r.currency <> f.currency OR r.debit <> s.credit OR r.credit <> s.debit
      OR (f.state = 'failed') <> (x.amount IS NOT NULL)
      OR x.amount IS NOT NULL AND (x.amount <> r.amount OR x.debit <> r.credit OR x.credit <> r.debit))
    """

  /// No more goes back than was paid, and each row of the ledger has its refund.
  private static let totalQuery = """
    SELECT o.id AS subject FROM orders o JOIN (
      SELECT order_id, CAST(sum(CASE WHEN state <> 'failed' THEN amount ELSE 0 END) AS BIGINT) AS total
      FROM refunds WHERE is_surplus = 0 GROUP BY order_id) f ON f.order_id = o.id
    WHERE f.total > o.amount
    UNION SELECT l.order_id FROM ledger l
      LEFT JOIN refunds f ON f.order_id = l.order_id AND l.kind IN (
        'refund:' || f.id, 'commission_refund:' || f.id, 'refund_failed:' || f.id, 'commission_refund_failed:' || f.id)
      WHERE f.id IS NULL AND (l.kind LIKE 'refund:%' OR l.kind LIKE 'commission_refund:%'
        OR l.kind LIKE 'refund_failed:%' OR l.kind LIKE 'commission_refund_failed:%')
    """

  /// The store gives back no more than its share, all of it with the whole price, and nothing when nothing goes back.
  private static let shareQuery = """
    SELECT s.order_id AS subject FROM ledger s JOIN (
      SELECT order_id, CAST(sum(CASE WHEN state <> 'failed' THEN amount ELSE 0 END) AS BIGINT) AS total
      FROM refunds WHERE is_surplus = 0 GROUP BY order_id) f ON f.order_id = s.order_id
    LEFT JOIN ledger c ON c.order_id = s.order_id AND c.kind = 'commission'
    LEFT JOIN (
      SELECT order_id,
        CAST(sum(CASE WHEN kind LIKE 'commission_refund:%' THEN amount ELSE -amount END) AS BIGINT) AS total
      FROM ledger WHERE kind LIKE 'commission_refund:%' OR kind LIKE 'commission_refund_failed:%'
      GROUP BY order_id) n ON n.order_id = s.order_id
    WHERE s.kind = 'sale' AND (coalesce(n.total, 0) < 0 OR coalesce(n.total, 0) > coalesce(c.amount, 0)
      OR f.total = 0 AND coalesce(n.total, 0) <> 0
      OR f.total = s.amount AND coalesce(n.total, 0) <> coalesce(c.amount, 0))
    """

  /// Sales from before refunds were recorded: one that was taken back has its rows reversed, and no other has.
  private static let earlierQuery = """
    SELECT b.order_id AS subject FROM ledger b JOIN orders o ON o.id = b.order_id
    LEFT JOIN ledger r ON r.order_id = b.order_id
      AND r.kind = CASE b.kind WHEN 'sale' THEN 'refund' ELSE 'commission_refund' END
    WHERE b.kind IN ('sale', 'commission') AND NOT \(hasRefund("b.order_id"))
      AND CASE WHEN o.revoked_at IS NULL THEN r.amount IS NOT NULL
        ELSE r.amount IS NULL OR r.amount <> b.amount OR r.currency <> b.currency OR r.debit <> b.credit
          OR r.credit <> b.debit END
    GROUP BY b.order_id
    """
}
