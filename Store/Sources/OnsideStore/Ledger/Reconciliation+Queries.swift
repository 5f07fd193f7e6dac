extension Reconciliation.Rule {
  /// Queries that find what breaks the rule, as `subject`.
  var queries: [String] {
    switch self {
    case .sale: [Self.saleQuery]
    case .unpaid: [Self.unpaidQuery]
    case .commission: [Self.commissionQuery]
    case .refund: Self.refundQueries
    case .payment: [Self.paymentQuery]
    case .surplus: [Self.surplusQuery]
    case .row: [Self.rowQuery]
    case .sum: [Self.sumQuery]
    case .provider: BuiltInProviders.reconciliations
    }
  }

  /// What was paid and cost something.
  static let sold = "o.state = 'paid' AND o.duplicate_of IS NULL AND o.amount > 0"

  private static let saleQuery = """
    SELECT o.id AS subject FROM orders o LEFT JOIN ledger s ON s.order_id = o.id AND s.kind = 'sale'
    WHERE \(sold) AND (s.amount IS NULL OR s.amount <> o.amount OR s.currency <> o.currency
      OR s.credit <> 'app:' || o.app_id OR s.debit NOT LIKE 'provider:%')
    """

  private static let unpaidQuery = """
    SELECT o.id AS subject FROM orders o JOIN ledger s ON s.order_id = o.id AND s.kind IN ('sale', 'commission')
    WHERE NOT (\(sold)) GROUP BY o.id
    """

  // The share of a part of ten thousand is taken by itself, as the ledger does it: the product never overflows.
  private static let commissionQuery = """
    SELECT s.order_id AS subject FROM ledger s
    LEFT JOIN ledger c ON c.order_id = s.order_id AND c.kind = 'commission'
    WHERE s.kind = 'sale' AND (
      coalesce(c.amount, 0) <> coalesce(
        s.amount / 10000 * s.basis_points + s.amount % 10000 * s.basis_points / 10000, c.amount, 0)
      OR coalesce(c.amount, 0) > s.amount OR c.currency <> s.currency OR c.debit <> s.credit
      OR c.credit <> 'store:commission')
    """

  private static let paymentQuery = """
    SELECT p.id AS subject FROM payments p LEFT JOIN orders o ON o.id = p.order_id
    LEFT JOIN ledger g ON g.order_id = p.order_id AND g.kind = 'surplus:' || p.id
    LEFT JOIN ledger r ON r.order_id = p.order_id AND r.kind = 'surplus_refund:' || p.id
    WHERE p.amount > 0 AND CASE p.state
      WHEN 'succeeded' THEN (g.amount IS NOT NULL)
        = coalesce(o.payment_id = p.id AND o.state = 'paid' AND o.duplicate_of IS NULL, FALSE)
      WHEN 'refunded' THEN g.amount IS NOT NULL AND r.amount IS NULL
        OR coalesce(\(sold) AND o.payment_id = p.id AND o.revoked_at IS NULL, FALSE)
      ELSE g.amount IS NOT NULL OR coalesce(\(sold) AND o.payment_id = p.id, FALSE) END
    """

  private static let surplusQuery = """
    SELECT g.order_id AS subject FROM ledger g
    LEFT JOIN payments p ON p.order_id = g.order_id
      AND g.kind IN ('surplus:' || p.id, 'surplus_refund:' || p.id, 'surplus_refund_failed:' || p.id)
    LEFT JOIN ledger f ON f.order_id = g.order_id AND g.kind LIKE 'surplus_refund:%' AND f.kind = 'surplus:' || p.id
    WHERE g.kind LIKE 'surplus%' AND (p.id IS NULL OR g.amount <> p.amount OR g.currency <> p.currency
      OR g.kind LIKE 'surplus_refund:%' AND (f.amount IS NULL OR g.debit <> f.credit OR g.credit <> f.debit)
      OR g.kind LIKE 'surplus:%' AND g.credit <> 'store:refunds_due')
    GROUP BY g.order_id
    """

  private static let rowQuery = """
    SELECT l.order_id AS subject FROM ledger l LEFT JOIN orders o ON o.id = l.order_id
    WHERE o.id IS NULL OR NOT (l.kind IN ('sale', 'commission', 'refund', 'commission_refund')
      OR l.kind LIKE 'surplus:%' OR l.kind LIKE 'surplus_refund:%' OR l.kind LIKE 'surplus_refund_failed:%'
      OR l.kind LIKE 'refund:%' OR l.kind LIKE 'refund_failed:%' OR l.kind LIKE 'commission_refund:%'
      OR l.kind LIKE 'commission_refund_failed:%')
    GROUP BY l.order_id
    """

  private static let sumQuery = """
    SELECT subject || ' ' || currency AS subject FROM (
      SELECT credit AS subject, currency, amount FROM ledger WHERE credit LIKE 'app:%'
      UNION ALL SELECT debit, currency, -amount FROM ledger WHERE debit LIKE 'app:%'
      UNION ALL SELECT 'app:' || o.app_id, o.currency, coalesce(c.amount, 0) - o.amount FROM orders o
        LEFT JOIN ledger c ON c.order_id = o.id AND c.kind = 'commission'
        WHERE \(sold) AND (o.revoked_at IS NULL OR \(hasRefund("o.id")))
      UNION ALL SELECT 'app:' || o.app_id, f.currency, f.amount FROM refunds f JOIN orders o ON o.id = f.order_id
        WHERE f.is_surplus = 0 AND f.state <> 'failed'
      UNION ALL SELECT 'app:' || o.app_id, l.currency,
          CASE WHEN l.kind LIKE 'commission_refund:%' THEN -l.amount ELSE l.amount END
        FROM ledger l JOIN orders o ON o.id = l.order_id
        WHERE l.kind LIKE 'commission_refund:%' OR l.kind LIKE 'commission_refund_failed:%') AS movements
    GROUP BY subject, currency HAVING sum(amount) <> 0
    """
}
