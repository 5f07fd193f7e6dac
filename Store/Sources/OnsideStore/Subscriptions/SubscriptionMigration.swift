extension Migration {
  static let subscriptions = [
    Migration(
      250, name: "subscriptions that renew",
      sql: """
        CREATE TABLE subscriptions(
          account_id TEXT NOT NULL, app_id TEXT NOT NULL, group_id TEXT NOT NULL, machine TEXT NOT NULL,
          wakes_at BIGINT, first_order_id TEXT NOT NULL, last_order_id TEXT NOT NULL, renewal_order_id TEXT,
          PRIMARY KEY (account_id, app_id, group_id)) WITHOUT ROWID;
        CREATE INDEX subscriptions_due ON subscriptions(wakes_at) WHERE wakes_at IS NOT NULL;
        CREATE TABLE subscription_periods(
          order_id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL, group_id TEXT NOT NULL,
          number BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX subscription_periods_by_account ON subscription_periods(account_id);
        """,
      postgres: """
        CREATE TABLE subscriptions(
          account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL, group_id TEXT COLLATE "C" NOT NULL,
          machine TEXT COLLATE "C" NOT NULL, wakes_at BIGINT, first_order_id TEXT COLLATE "C" NOT NULL,
          last_order_id TEXT COLLATE "C" NOT NULL, renewal_order_id TEXT COLLATE "C",
          PRIMARY KEY (account_id, app_id, group_id));
        CREATE INDEX subscriptions_due ON subscriptions(wakes_at) WHERE wakes_at IS NOT NULL;
        CREATE TABLE subscription_periods(
          order_id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL,
          app_id TEXT COLLATE "C" NOT NULL, group_id TEXT COLLATE "C" NOT NULL, number BIGINT NOT NULL);
        CREATE INDEX subscription_periods_by_account ON subscription_periods(account_id);
        """),
    Migration(
      251, name: "methods that are kept for a subscription alone",
      sql: """
        ALTER TABLE payments ADD COLUMN keeps BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE payments ADD COLUMN kept_method TEXT;
        CREATE INDEX payments_kept ON payments(provider, kept_method) WHERE kept_method IS NOT NULL;
        """,
      postgres: """
        ALTER TABLE payments ADD COLUMN keeps BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE payments ADD COLUMN kept_method TEXT COLLATE "C";
        CREATE INDEX payments_kept ON payments(provider, kept_method) WHERE kept_method IS NOT NULL;
        """),
    Migration(
      252, name: "open orders that expire are found without the unpaid periods of subscriptions",
      sql: """
        DROP INDEX orders_open;
        CREATE INDEX orders_open ON orders(created_at) WHERE state = 'open' AND reason <> 'RENEWAL';
        """),
    Migration(
      260, name: "plans that start with the next renewal",
      sql: """
        ALTER TABLE subscriptions ADD COLUMN next_product BIGINT;
        ALTER TABLE subscriptions ADD COLUMN next_country TEXT;
        """,
      postgres: """
        ALTER TABLE subscriptions ADD COLUMN next_product BIGINT;
        ALTER TABLE subscriptions ADD COLUMN next_country TEXT COLLATE "C";
        """),
    Migration(
      261, name: "prices of which subscribers were told or asked",
      sql: """
        CREATE TABLE subscription_prices(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL, group_id TEXT NOT NULL,
          product_id TEXT NOT NULL, old_amount BIGINT NOT NULL, new_amount BIGINT NOT NULL, currency TEXT NOT NULL,
          needs_consent BIGINT NOT NULL, asked_at BIGINT NOT NULL, applies_at BIGINT NOT NULL, answer TEXT,
          answered_at BIGINT) WITHOUT ROWID;
        CREATE INDEX subscription_prices_by_account ON subscription_prices(account_id, app_id, group_id);
        """,
      postgres: """
        CREATE TABLE subscription_prices(
          id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          group_id TEXT COLLATE "C" NOT NULL, product_id TEXT COLLATE "C" NOT NULL, old_amount BIGINT NOT NULL,
          new_amount BIGINT NOT NULL, currency TEXT COLLATE "C" NOT NULL, needs_consent BIGINT NOT NULL,
          asked_at BIGINT NOT NULL, applies_at BIGINT NOT NULL, answer TEXT COLLATE "C", answered_at BIGINT);
        CREATE INDEX subscription_prices_by_account ON subscription_prices(account_id, app_id, group_id);
        """),
    Migration(
      281, name: "what is known of methods that are kept for a subscription alone",
      sql: """
        ALTER TABLE payments ADD COLUMN kept_brand TEXT;
        ALTER TABLE payments ADD COLUMN kept_last_four TEXT;
        ALTER TABLE payments ADD COLUMN kept_label TEXT;
        ALTER TABLE payments ADD COLUMN kept_expires TEXT;
        """,
      postgres: """
        ALTER TABLE payments ADD COLUMN kept_brand TEXT COLLATE "C";
        ALTER TABLE payments ADD COLUMN kept_last_four TEXT COLLATE "C";
        ALTER TABLE payments ADD COLUMN kept_label TEXT COLLATE "C";
        ALTER TABLE payments ADD COLUMN kept_expires TEXT COLLATE "C";
        """),
  ]
}
