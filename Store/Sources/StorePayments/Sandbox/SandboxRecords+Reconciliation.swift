/// The comparison of the store's payments with the sandbox provider's own books.
extension SandboxRecords {
  /// Queries that select each difference as `subject`.
  package static let reconciliations = [paymentQuery, disputeQuery]

  /// Selects the payments whose state or amount is another one at the sandbox.
  private static let paymentQuery = """
    SELECT p.id AS subject FROM payments p LEFT JOIN sandbox_payments s ON s.id = p.id
    WHERE p.provider = 'sandbox' AND p.method IS NOT NULL AND CASE p.state
      WHEN 'succeeded' THEN s.kind IS NULL OR s.kind NOT IN ('succeeded', 'refunded')
      WHEN 'refunded' THEN s.kind IS NULL OR s.kind <> 'refunded'
      WHEN 'declined' THEN coalesce(s.kind IN ('succeeded', 'refunded'), FALSE)
      ELSE FALSE END
    OR p.provider = 'sandbox' AND p.method IS NOT NULL AND (s.amount <> p.amount OR s.currency <> p.currency)
    """

  /// Selects the disputes that the sandbox does not have, or not in this state. The sandbox writes first.
  private static let disputeQuery = """
    SELECT d.id AS subject FROM disputes d JOIN payments p ON p.id = d.payment_id
    WHERE p.provider = 'sandbox' AND p.method IS NOT NULL AND d.state <> 'warning' AND (
      NOT EXISTS (SELECT 1 FROM sandbox_disputes s WHERE s.payment_id = p.id AND s.amount = d.amount)
      OR d.is_withdrawn = 1 AND NOT EXISTS (
        SELECT 1 FROM sandbox_disputes s WHERE s.payment_id = p.id AND s.kind = 'funds_withdrawn')
      OR d.state IN ('won', 'lost') AND NOT EXISTS (
        SELECT 1 FROM sandbox_disputes s WHERE s.payment_id = p.id AND s.kind = 'dispute_' || d.state))
    """
}
