import StoreBase

/// The queries of the rules.
extension Reconciliation.Rule {
  /// What breaks the rule: at most `limit` subjects of each query.
  func subjects(limit: Int, providerQueries: [String], in connection: any SQLConnection) throws -> [String] {
    try queries(ofProviders: providerQueries).flatMap { query in
      try connection.rows("\(query) LIMIT \(limit)").map { try $0.text("subject") }
    }
  }

  /// Queries that select what breaks the rule as `subject`.
  private func queries(ofProviders providerQueries: [String]) -> [String] {
    switch self {
    case .sale: [Self.saleQuery]
    case .unpaid: [Self.unpaidQuery]
    case .tax: [Self.taxQuery]
    case .commission: [Self.commissionQuery]
    case .refund: Self.refundQueries
    case .dispute: [Self.disputeQuery]
    case .fee: [Self.feeQuery]
    case .payment: [Self.paymentQuery]
    case .surplus: [Self.surplusQuery, Self.surplusTotalQuery]
    case .receipt: [Self.receiptQuery, Self.waitingReceiptQuery]
    case .payout: [Self.payoutQuery, Self.providerPayoutQuery]
    case .row: [Self.rowQuery]
    case .sum: [Self.sumQuery]
    case .provider: providerQueries
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
    SELECT o.id AS subject FROM orders o JOIN ledger s ON s.order_id = o.id AND s.kind IN ('sale', 'tax', 'commission')
    WHERE NOT (\(sold)) GROUP BY o.id
    """

  // Rounded to the nearest smallest unit; as `TaxRate` does it, the product never overflows.
  private static let taxQuery = """
    SELECT s.order_id AS subject FROM ledger s
    LEFT JOIN ledger t ON t.order_id = s.order_id AND t.kind = 'tax'
    LEFT JOIN order_taxes x ON x.order_id = s.order_id
    WHERE s.kind = 'sale' AND (
      coalesce(t.amount, 0) <> coalesce(s.amount / (10000 + x.basis_points) * x.basis_points
        + (s.amount % (10000 + x.basis_points) * x.basis_points * 2 + 10000 + x.basis_points)
        / (2 * (10000 + x.basis_points)), 0)
      OR t.currency <> s.currency OR t.debit <> s.credit OR t.credit <> 'tax:' || x.country
      OR t.basis_points <> x.basis_points)
    """

  // The share of a part of ten thousand is taken by itself, as the ledger does it: the product never overflows.
  private static let commissionQuery = """
    SELECT s.order_id AS subject FROM ledger s
    LEFT JOIN ledger t ON t.order_id = s.order_id AND t.kind = 'tax'
    LEFT JOIN ledger c ON c.order_id = s.order_id AND c.kind = 'commission'
    WHERE s.kind = 'sale' AND (
      coalesce(c.amount, 0) <> coalesce(
        (s.amount - coalesce(t.amount, 0)) / 10000 * s.basis_points
        + (s.amount - coalesce(t.amount, 0)) % 10000 * s.basis_points / 10000, c.amount, 0)
      OR coalesce(c.amount, 0) > s.amount OR c.currency <> s.currency OR c.debit <> s.credit
      OR c.credit <> 'store:commission')
    """

  private static let paymentQuery = """
    SELECT p.id AS subject FROM payments p LEFT JOIN orders o ON o.id = p.order_id
    LEFT JOIN ledger g ON g.order_id = p.order_id AND g.kind = 'surplus:' || p.id
    WHERE p.amount > 0 AND CASE p.state
      WHEN 'succeeded' THEN (g.amount IS NOT NULL)
        = coalesce(o.payment_id = p.id AND o.state = 'paid' AND o.duplicate_of IS NULL, FALSE)
      WHEN 'refunded' THEN g.amount IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM ledger r LEFT JOIN refunds f ON f.order_id = r.order_id AND r.kind = 'surplus_refund:' || f.id
          WHERE r.order_id = p.order_id
            AND (r.kind = 'surplus_refund:' || p.id OR r.kind LIKE 'surplus_refund:%' AND f.payment_id = p.id))
        OR coalesce(\(sold) AND o.payment_id = p.id AND o.revoked_at IS NULL, FALSE) AND NOT EXISTS (
          SELECT 1 FROM refunds c WHERE c.order_id = o.id AND c.origin IN ('plan change', 'stop command') AND c.state <> 'failed')
      ELSE g.amount IS NOT NULL OR coalesce(\(sold) AND o.payment_id = p.id, FALSE) END
    """

  private static let surplusQuery = """
    SELECT g.order_id AS subject FROM ledger g
    LEFT JOIN refunds w ON w.order_id = g.order_id
      AND g.kind IN ('surplus_refund:' || w.id, 'surplus_refund_failed:' || w.id)
    LEFT JOIN payments p ON p.order_id = g.order_id AND (w.payment_id = p.id
      OR g.kind IN ('surplus:' || p.id, 'surplus_refund:' || p.id, 'surplus_refund_failed:' || p.id))
    LEFT JOIN ledger f ON f.order_id = g.order_id AND g.kind LIKE 'surplus_refund:%' AND f.kind = 'surplus:' || p.id
    WHERE g.kind LIKE 'surplus%' AND (p.id IS NULL OR g.amount <> coalesce(w.amount, p.amount)
      OR g.currency <> p.currency
      OR g.kind LIKE 'surplus_refund:%' AND (f.amount IS NULL OR g.debit <> f.credit OR g.credit <> f.debit)
      OR g.kind LIKE 'surplus:%' AND g.credit <> 'store:refunds_due')
    GROUP BY g.order_id
    """

  private static let surplusTotalQuery = """
    SELECT f.order_id AS subject FROM refunds f JOIN payments p ON p.id = f.payment_id
    WHERE f.is_surplus = 1 AND f.state = 'settled' AND f.origin <> 'bank'
    GROUP BY f.order_id, p.id, p.amount HAVING sum(f.amount) > p.amount
    """

  private static let feeQuery = """
    SELECT order_id AS subject FROM ledger WHERE kind LIKE 'provider_fee:%'
      AND NOT (debit = 'store:provider_fees' AND credit LIKE 'provider:%'
        OR credit = 'store:provider_fees' AND debit LIKE 'provider:%')
    GROUP BY order_id
    """

  private static let receiptQuery = """
    SELECT c.entity || '-' || CAST(c.year AS TEXT) AS subject FROM receipt_counters c
    LEFT JOIN receipt_numbers r ON r.entity = c.entity AND r.year = c.year AND r.number IS NOT NULL
    LEFT JOIN ledger s ON s.order_id = r.order_id AND s.kind = 'sale'
    GROUP BY c.entity, c.year, c.newest
    HAVING count(r.number) <> c.newest OR coalesce(min(r.number), 0) <> 1 OR coalesce(max(r.number), 0) <> c.newest
      OR count(s.order_id) <> c.newest
    """

  // Receipts are numbered in the order of their sales. The clocks of two processes may differ by a few seconds.
  private static let waitingReceiptQuery = """
    SELECT w.order_id AS subject FROM receipt_numbers w
    LEFT JOIN ledger s ON s.order_id = w.order_id AND s.kind = 'sale'
    LEFT JOIN (
      SELECT entity, year, max(sold_at) AS sold_at FROM receipt_numbers WHERE number IS NOT NULL GROUP BY entity, year
    ) AS newest ON newest.entity = w.entity AND newest.year = w.year
    WHERE w.number IS NULL AND (s.order_id IS NULL OR w.sold_at IS NULL OR w.sold_at + 60000 < newest.sold_at)
    """

  private static let payoutQuery = """
    SELECT p.id AS subject FROM payouts p
    LEFT JOIN ledger m ON m.order_id = p.id AND m.kind = 'payout'
    LEFT JOIN ledger s ON s.order_id = p.id AND s.kind = 'payout_settled'
    LEFT JOIN ledger f ON f.order_id = p.id AND f.kind = 'payout_failed'
    LEFT JOIN ledger b ON b.order_id = p.id AND b.kind = 'payout_returned'
    WHERE m.amount IS NULL OR m.amount <> p.amount OR m.currency <> p.currency OR m.debit <> 'app:' || p.app_id
      OR m.credit <> 'store:payouts' OR (p.state = 'failed') <> (f.amount IS NOT NULL)
      OR f.amount <> p.amount OR f.currency <> p.currency OR f.debit <> m.credit OR f.credit <> m.debit
      OR (p.state = 'settled') <> (s.amount IS NOT NULL AND b.amount IS NULL) OR s.amount <> p.amount
      OR b.amount IS NOT NULL AND (s.amount IS NULL OR b.amount <> s.amount OR b.debit <> s.credit
        OR b.credit <> s.debit)
      OR s.currency <> p.currency OR s.debit <> 'store:payouts' OR s.credit <> 'store:bank'
    """

  private static let providerPayoutQuery = """
    SELECT l.order_id AS subject FROM ledger l
    LEFT JOIN ledger m ON m.order_id = l.order_id AND m.kind = 'provider_payout'
    WHERE l.kind IN ('provider_payout', 'provider_payout_failed')
      AND (m.amount IS NULL
        OR NOT (m.debit = 'store:bank' AND m.credit LIKE 'provider:%' OR m.credit = 'store:bank' AND m.debit LIKE 'provider:%')
        OR l.kind = 'provider_payout_failed' AND (l.amount <> m.amount OR l.currency <> m.currency OR l.debit <> m.credit))
    GROUP BY l.order_id
    """

  private static let rowQuery = """
    SELECT l.order_id AS subject FROM ledger l LEFT JOIN orders o ON o.id = l.order_id
    LEFT JOIN payouts p ON p.id = l.order_id
    WHERE o.id IS NULL AND l.kind NOT IN ('provider_payout', 'provider_payout_failed')
        AND (p.id IS NULL OR l.kind NOT IN ('payout', 'payout_settled', 'payout_failed', 'payout_returned'))
      OR o.id IS NOT NULL AND NOT (l.kind IN ('sale', 'tax', 'commission', 'refund', 'tax_refund', 'commission_refund')
      OR l.kind LIKE 'provider_fee:%' OR l.kind LIKE 'surplus:%' OR l.kind LIKE 'surplus_refund:%' OR l.kind LIKE 'surplus_refund_failed:%'
      OR \(isOfRefund("l.kind")))
    GROUP BY l.order_id
    """

  private static let sumQuery = """
    SELECT subject || ' ' || currency AS subject FROM (
      SELECT credit AS subject, currency, amount FROM ledger WHERE credit LIKE 'app:%'
      UNION ALL SELECT debit, currency, -amount FROM ledger WHERE debit LIKE 'app:%'
      UNION ALL SELECT 'app:' || o.app_id, o.currency, coalesce(t.amount, 0) + coalesce(c.amount, 0) - o.amount
        FROM orders o LEFT JOIN ledger t ON t.order_id = o.id AND t.kind = 'tax'
        LEFT JOIN ledger c ON c.order_id = o.id AND c.kind = 'commission'
        WHERE \(sold) AND (o.revoked_at IS NULL OR \(hasRefund("o.id")))
      UNION ALL SELECT 'app:' || o.app_id, f.currency, f.amount FROM refunds f JOIN orders o ON o.id = f.order_id
        WHERE f.is_surplus = 0 AND f.state <> 'failed'
      UNION ALL SELECT 'app:' || o.app_id, l.currency,
          CASE WHEN \(isUndone("l.kind")) THEN l.amount ELSE -l.amount END
        FROM ledger l JOIN orders o ON o.id = l.order_id
        WHERE l.kind LIKE 'tax_refund%:%' OR l.kind LIKE 'commission_refund%:%'
          OR l.kind LIKE 'tax_dispute%:%' OR l.kind LIKE 'commission_dispute%:%'
      UNION ALL SELECT 'app:' || app_id, currency, amount FROM payouts WHERE state <> 'failed') AS movements
    GROUP BY subject, currency HAVING sum(amount) <> 0
    """
}
