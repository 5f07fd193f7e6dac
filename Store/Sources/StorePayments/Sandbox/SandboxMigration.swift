package import StoreBase

extension Migration {
  package static let sandboxProvider = [
    Migration(
      225, name: "the sandbox is one provider among others",
      sql: """
        ALTER TABLE sandbox_payments ADD COLUMN order_id TEXT NOT NULL DEFAULT '';
        ALTER TABLE sandbox_payments ADD COLUMN noted_at BIGINT NOT NULL DEFAULT 0;
        CREATE INDEX sandbox_payments_by_order ON sandbox_payments(order_id);
        \(methods)
        UPDATE outbox SET payload = json_set(payload, '$.provider', 'sandbox', '$.environment', 'sandbox')
          WHERE kind IN ('payment.start', 'payment.confirm', 'payment.refund');
        """,
      postgres: """
        ALTER TABLE sandbox_payments ADD COLUMN order_id TEXT COLLATE "C" NOT NULL DEFAULT '';
        ALTER TABLE sandbox_payments ADD COLUMN noted_at BIGINT NOT NULL DEFAULT 0;
        CREATE INDEX sandbox_payments_by_order ON sandbox_payments(order_id);
        \(methods)
        UPDATE outbox SET payload = (payload::jsonb || '{"provider":"sandbox","environment":"sandbox"}'::jsonb)::text
          WHERE kind IN ('payment.start', 'payment.confirm', 'payment.refund');
        """),
    Migration(
      227, name: "the sandbox refunds parts of payments",
      sql: """
        CREATE TABLE sandbox_refunds(id TEXT PRIMARY KEY, payment_id TEXT NOT NULL, amount BIGINT NOT NULL) \
        WITHOUT ROWID;
        CREATE INDEX sandbox_refunds_by_payment ON sandbox_refunds(payment_id);
        INSERT INTO sandbox_refunds(id, payment_id, amount)
          SELECT id || ':refund', id, amount FROM sandbox_payments WHERE kind = 'refunded';
        """,
      postgres: """
        CREATE TABLE sandbox_refunds(
          id TEXT COLLATE "C" PRIMARY KEY, payment_id TEXT COLLATE "C" NOT NULL, amount BIGINT NOT NULL);
        CREATE INDEX sandbox_refunds_by_payment ON sandbox_refunds(payment_id);
        INSERT INTO sandbox_refunds(id, payment_id, amount)
          SELECT id || ':refund', id, amount FROM sandbox_payments WHERE kind = 'refunded';
        """),
    Migration(
      232, name: "the sandbox plays disputes",
      sql: """
        CREATE TABLE sandbox_disputes(
          payment_id TEXT NOT NULL, kind TEXT NOT NULL, order_id TEXT NOT NULL, amount BIGINT NOT NULL,
          noted_at BIGINT NOT NULL, PRIMARY KEY (payment_id, kind)) WITHOUT ROWID;
        CREATE INDEX sandbox_disputes_by_order ON sandbox_disputes(order_id);
        """,
      postgres: """
        CREATE TABLE sandbox_disputes(
          payment_id TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, order_id TEXT COLLATE "C" NOT NULL,
          amount BIGINT NOT NULL, noted_at BIGINT NOT NULL, PRIMARY KEY (payment_id, kind));
        CREATE INDEX sandbox_disputes_by_order ON sandbox_disputes(order_id);
        """),
  ]

  /// A saved test card becomes a saved method like any other.
  private static let methods = """
    UPDATE payment_methods SET provider = 'sandbox', reference = card,
      brand = CASE WHEN card IN ('succeeds', 'declined', 'second_step', 'late_callback') THEN 'Visa'
        ELSE 'Mastercard' END,
      last_four = CASE card WHEN 'succeeds' THEN '4242' WHEN 'declined' THEN '0002' WHEN 'second_step' THEN '3155'
        WHEN 'settles_later' THEN '4444' WHEN 'never_settles' THEN '5100' WHEN 'late_callback' THEN '1881'
        WHEN 'callback_twice' THEN '8210' WHEN 'refunded_later' THEN '7726' END;
    ALTER TABLE payment_methods DROP COLUMN card;
    """
}
