extension Migration {
  static let payments = [
    Migration(
      7, name: "payments",
      sql: """
        CREATE TABLE outbox(
          id INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL, due_at BIGINT NOT NULL,
          attempts BIGINT NOT NULL);
        CREATE INDEX outbox_by_due ON outbox(due_at);
        CREATE TABLE payments(
          id TEXT PRIMARY KEY, order_id TEXT NOT NULL, provider TEXT NOT NULL, method TEXT, amount BIGINT NOT NULL,
          currency TEXT NOT NULL, state TEXT NOT NULL, created_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE TABLE provider_events(
          provider TEXT NOT NULL, id TEXT NOT NULL, received_at BIGINT NOT NULL, PRIMARY KEY (provider, id)) \
        WITHOUT ROWID;
        CREATE TABLE payment_methods(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, card TEXT NOT NULL, created_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX payment_methods_by_account ON payment_methods(account_id);
        """),
    Migration(
      102,
      name: "calls to the provider are counted, its events carry amounts, and the sandbox's provider has its own books",
      sql: """
        ALTER TABLE payments ADD COLUMN step BIGINT NOT NULL DEFAULT 1;
        CREATE TABLE sandbox_payments(
          id TEXT PRIMARY KEY, kind TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO sandbox_payments(id, kind, amount, currency)
          SELECT id, state, amount, currency FROM payments
          WHERE provider = 'sandbox' AND state IN ('succeeded', 'declined', 'pending', 'refunded');
        UPDATE outbox SET payload = json_set(payload,
          '$.amount', (SELECT amount FROM payments WHERE id = json_extract(payload, '$.payment_id')),
          '$.currency', (SELECT currency FROM payments WHERE id = json_extract(payload, '$.payment_id')))
          WHERE kind = 'sandbox.event';
        """),
  ]
}
