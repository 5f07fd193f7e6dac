import StoreBase

extension Migration {
  static let orders = [
    Migration(
      5, name: "orders",
      sql: """
        CREATE TABLE order_products(id INTEGER PRIMARY KEY, message TEXT NOT NULL);
        CREATE TABLE orders(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL, product_id TEXT NOT NULL,
          ordered_product BIGINT NOT NULL, quantity BIGINT NOT NULL, country TEXT NOT NULL,
          currency TEXT NOT NULL, amount BIGINT NOT NULL, price_text TEXT NOT NULL,
          offer_id TEXT, first_amount BIGINT, first_price_text TEXT,
          state TEXT NOT NULL, cancel_reason TEXT, reason TEXT NOT NULL, app_account_token TEXT, language TEXT,
          created_at BIGINT NOT NULL, paid_at BIGINT, expires_at BIGINT, finished_at BIGINT,
          revoked_at BIGINT, revocation_reason TEXT, owes_refund BIGINT NOT NULL DEFAULT 0,
          original_order_id TEXT, duplicate_of TEXT, payment_id TEXT, changed BIGINT NOT NULL DEFAULT 0) WITHOUT ROWID;
        CREATE INDEX orders_by_account ON orders(account_id, app_id, changed);
        CREATE INDEX orders_open ON orders(created_at) WHERE state = 'open';
        CREATE TABLE sequences(name TEXT PRIMARY KEY, value BIGINT NOT NULL) WITHOUT ROWID;
        INSERT INTO sequences(name, value) VALUES ('changes', 0);
        CREATE TABLE receipts(order_id TEXT PRIMARY KEY, jws TEXT NOT NULL) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE order_products(id BIGINT PRIMARY KEY, message TEXT COLLATE "C" NOT NULL);
        CREATE TABLE orders(
          id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          product_id TEXT COLLATE "C" NOT NULL, ordered_product BIGINT NOT NULL, quantity BIGINT NOT NULL,
          country TEXT COLLATE "C" NOT NULL, currency TEXT COLLATE "C" NOT NULL, amount BIGINT NOT NULL,
          price_text TEXT COLLATE "C" NOT NULL, offer_id TEXT COLLATE "C", first_amount BIGINT,
          first_price_text TEXT COLLATE "C", state TEXT COLLATE "C" NOT NULL, cancel_reason TEXT COLLATE "C",
          reason TEXT COLLATE "C" NOT NULL, app_account_token TEXT COLLATE "C", language TEXT COLLATE "C",
          created_at BIGINT NOT NULL, paid_at BIGINT, expires_at BIGINT, finished_at BIGINT, revoked_at BIGINT,
          revocation_reason TEXT COLLATE "C", owes_refund BIGINT NOT NULL DEFAULT 0, original_order_id TEXT COLLATE "C",
          duplicate_of TEXT COLLATE "C", payment_id TEXT COLLATE "C", changed BIGINT NOT NULL DEFAULT 0);
        CREATE INDEX orders_by_account ON orders(account_id, app_id, changed);
        CREATE INDEX orders_open ON orders(created_at) WHERE state = 'open';
        CREATE TABLE sequences(name TEXT COLLATE "C" PRIMARY KEY, value BIGINT NOT NULL);
        INSERT INTO sequences(name, value) VALUES ('changes', 0);
        CREATE TABLE receipts(order_id TEXT COLLATE "C" PRIMARY KEY, jws TEXT COLLATE "C" NOT NULL);
        """),
    Migration(
      8, name: "orders whose product changed with the price",
      sql: "ALTER TABLE orders ADD COLUMN first_ordered_product BIGINT;"),
    Migration(
      95, name: "the device that delivers a consumable",
      sql: """
        ALTER TABLE orders ADD COLUMN held_by TEXT;
        ALTER TABLE orders ADD COLUMN held_at BIGINT;
        CREATE INDEX orders_held ON orders(account_id, app_id, held_by, held_at)
          WHERE held_by IS NOT NULL AND state = 'paid' AND finished_at IS NULL;
        """,
      postgres: """
        ALTER TABLE orders ADD COLUMN held_by TEXT COLLATE "C";
        ALTER TABLE orders ADD COLUMN held_at BIGINT;
        CREATE INDEX orders_held ON orders(account_id, app_id, held_by, held_at)
          WHERE held_by IS NOT NULL AND state = 'paid' AND finished_at IS NULL;
        """),
    Migration(101, name: "payment pages that were opened", sql: "ALTER TABLE orders ADD COLUMN page_opened_at BIGINT;"),
    // The message of a product is JSON without spaces, in which a quote within a text is escaped. Of two indexes that
    // serve a query equally well, SQLite takes the later one: the order matters, and `QueryPlanTests` holds it.
    Migration(
      160, name: "what is asked of an account's orders is found without reading all of them",
      sql: """
        ALTER TABLE orders ADD COLUMN is_restorable BIGINT NOT NULL DEFAULT 0;
        UPDATE orders SET is_restorable = 1 WHERE ordered_product IN (
          SELECT id FROM order_products WHERE message LIKE '%"kind":"NON_CONSUMABLE"%'
            OR message LIKE '%"kind":"AUTO_RENEWABLE_SUBSCRIPTION"%');
        DROP INDEX orders_held;
        CREATE INDEX orders_purchased ON orders(account_id, app_id, paid_at, id)
          WHERE state = 'paid' AND duplicate_of IS NULL;
        CREATE INDEX orders_unfinished ON orders(account_id, app_id, held_by, held_at)
          WHERE state = 'paid' AND finished_at IS NULL;
        CREATE INDEX orders_processing ON orders(account_id, app_id) WHERE state = 'processing';
        CREATE INDEX orders_revoked ON orders(account_id, app_id) WHERE revoked_at IS NOT NULL;
        CREATE INDEX orders_subscriptions ON orders(account_id, app_id, paid_at) WHERE expires_at IS NOT NULL;
        CREATE INDEX orders_restorable ON orders(account_id, app_id, is_restorable, product_id)
          WHERE is_restorable = 1 AND state = 'paid';
        CREATE INDEX payments_by_order ON payments(order_id);
        """),
    // Without row numbers, SQLite gives what is longer than a quarter of a page a page of its own: a receipt of 1.2 kB
    // took 4.7 kB in the file, and twice that in the write-ahead log. PostgreSQL does not.
    Migration(
      161, name: "receipts share pages",
      sql: """
        CREATE TABLE receipts_in_rows(order_id TEXT PRIMARY KEY, jws TEXT NOT NULL);
        INSERT INTO receipts_in_rows(order_id, jws) SELECT order_id, jws FROM receipts ORDER BY order_id;
        DROP TABLE receipts;
        ALTER TABLE receipts_in_rows RENAME TO receipts;
        """,
      postgres: "SELECT 1;"),
    Migration(
      321, name: "the devices that have finished an order",
      sql: """
        CREATE TABLE order_finishes(
          order_id TEXT NOT NULL, device TEXT NOT NULL, PRIMARY KEY(order_id, device)) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE order_finishes(
          order_id TEXT COLLATE "C" NOT NULL, device TEXT COLLATE "C" NOT NULL, PRIMARY KEY(order_id, device));
        """),
    // Subscriptions that an earlier version left revoked when it returned their last purchase run to its end.
    Migration(
      324, name: "grants",
      sql: """
        ALTER TABLE orders ADD COLUMN reinstates TEXT;
        ALTER TABLE orders ADD COLUMN cause TEXT;
        CREATE UNIQUE INDEX orders_grants ON orders(account_id, app_id, reinstates, cause)
          WHERE reinstates IS NOT NULL;
        UPDATE subscriptions SET wakes_at = 0, machine = json_set(machine, '$.stage', json('{"active":{}}'), '$.attempts', 0)
          WHERE json_extract(machine, '$.stage.revoked') IS NOT NULL AND EXISTS (
            SELECT 1 FROM orders o WHERE o.id = last_order_id AND o.state = 'paid' AND o.revoked_at IS NULL
              AND o.duplicate_of IS NULL AND EXISTS (
                SELECT 1 FROM refunds r WHERE r.order_id = o.id AND r.state = 'failed' AND r.is_surplus = 0
                  AND r.origin <> 'plan change'));
        """,
      postgres: """
        ALTER TABLE orders ADD COLUMN reinstates TEXT COLLATE "C";
        ALTER TABLE orders ADD COLUMN cause TEXT COLLATE "C";
        CREATE UNIQUE INDEX orders_grants ON orders(account_id, app_id, reinstates, cause)
          WHERE reinstates IS NOT NULL;
        UPDATE subscriptions SET wakes_at = 0,
          machine = jsonb_set(jsonb_set(machine::jsonb, '{stage}', '{"active":{}}'), '{attempts}', '0')::text
          WHERE machine::jsonb #> '{stage,revoked}' IS NOT NULL AND EXISTS (
            SELECT 1 FROM orders o WHERE o.id = last_order_id AND o.state = 'paid' AND o.revoked_at IS NULL
              AND o.duplicate_of IS NULL AND EXISTS (
                SELECT 1 FROM refunds r WHERE r.order_id = o.id AND r.state = 'failed' AND r.is_surplus = 0
                  AND r.origin <> 'plan change'));
        """),
  ]
}
