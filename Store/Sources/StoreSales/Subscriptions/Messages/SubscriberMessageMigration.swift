import StoreBase

extension Migration {
  static let subscriptionMessages = [
    Migration(
      280, name: "messages about subscriptions",
      // What was sold before is looked at once, so that it is told in time, too.
      sql: """
        ALTER TABLE subscriptions ADD COLUMN told TEXT;
        ALTER TABLE subscriptions ADD COLUMN notice_due_at BIGINT;
        UPDATE subscriptions SET notice_due_at = 0 WHERE wakes_at IS NOT NULL;
        CREATE INDEX subscriptions_told ON subscriptions(notice_due_at) WHERE notice_due_at IS NOT NULL;
        CREATE TABLE subscription_messages(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL, group_id TEXT NOT NULL,
          cause TEXT NOT NULL, kind TEXT NOT NULL, product_id TEXT NOT NULL, amount BIGINT NOT NULL, old_amount BIGINT,
          currency TEXT NOT NULL, about_at BIGINT NOT NULL, created_at BIGINT NOT NULL, price_change_id TEXT,
          tried_at BIGINT, outcome TEXT, ended_at BIGINT, address TEXT,
          UNIQUE (account_id, app_id, group_id, cause)) WITHOUT ROWID;
        """,
      postgres: """
        ALTER TABLE subscriptions ADD COLUMN told TEXT COLLATE "C";
        ALTER TABLE subscriptions ADD COLUMN notice_due_at BIGINT;
        UPDATE subscriptions SET notice_due_at = 0 WHERE wakes_at IS NOT NULL;
        CREATE INDEX subscriptions_told ON subscriptions(notice_due_at) WHERE notice_due_at IS NOT NULL;
        CREATE TABLE subscription_messages(
          id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          group_id TEXT COLLATE "C" NOT NULL, cause TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL,
          product_id TEXT COLLATE "C" NOT NULL, amount BIGINT NOT NULL, old_amount BIGINT,
          currency TEXT COLLATE "C" NOT NULL, about_at BIGINT NOT NULL, created_at BIGINT NOT NULL,
          price_change_id TEXT COLLATE "C", tried_at BIGINT, outcome TEXT COLLATE "C", ended_at BIGINT,
          address TEXT COLLATE "C", UNIQUE (account_id, app_id, group_id, cause));
        """)
  ]
}
