import StoreBase

extension Migration {
  static let offerCodes = [
    Migration(
      290, name: "codes of offers",
      sql: """
        CREATE TABLE offer_code_batches(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, product_id TEXT NOT NULL, offer_id TEXT NOT NULL,
          is_custom BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT, disabled_at BIGINT) WITHOUT ROWID;
        CREATE INDEX offer_code_batches_by_app ON offer_code_batches(app_id, created_at);
        CREATE TABLE offer_codes(
          code TEXT PRIMARY KEY, batch_id TEXT NOT NULL, max_uses BIGINT NOT NULL, uses BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX offer_codes_by_batch ON offer_codes(batch_id);
        CREATE TABLE offer_code_uses(
          order_id TEXT PRIMARY KEY, batch_id TEXT NOT NULL, code TEXT NOT NULL, account_id TEXT NOT NULL,
          used_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE UNIQUE INDEX offer_code_uses_by_account ON offer_code_uses(account_id, batch_id);
        CREATE TABLE offer_code_tries(id TEXT PRIMARY KEY, source TEXT NOT NULL, tried_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX offer_code_tries_by_source ON offer_code_tries(source, tried_at);
        CREATE INDEX offer_code_tries_by_time ON offer_code_tries(tried_at);
        """,
      postgres: """
        CREATE TABLE offer_code_batches(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, product_id TEXT COLLATE "C" NOT NULL,
          offer_id TEXT COLLATE "C" NOT NULL, is_custom BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT,
          disabled_at BIGINT);
        CREATE INDEX offer_code_batches_by_app ON offer_code_batches(app_id, created_at);
        CREATE TABLE offer_codes(
          code TEXT COLLATE "C" PRIMARY KEY, batch_id TEXT COLLATE "C" NOT NULL, max_uses BIGINT NOT NULL,
          uses BIGINT NOT NULL);
        CREATE INDEX offer_codes_by_batch ON offer_codes(batch_id);
        CREATE TABLE offer_code_uses(
          order_id TEXT COLLATE "C" PRIMARY KEY, batch_id TEXT COLLATE "C" NOT NULL, code TEXT COLLATE "C" NOT NULL,
          account_id TEXT COLLATE "C" NOT NULL, used_at BIGINT NOT NULL);
        CREATE UNIQUE INDEX offer_code_uses_by_account ON offer_code_uses(account_id, batch_id);
        CREATE TABLE offer_code_tries(
          id TEXT COLLATE "C" PRIMARY KEY, source TEXT COLLATE "C" NOT NULL, tried_at BIGINT NOT NULL);
        CREATE INDEX offer_code_tries_by_source ON offer_code_tries(source, tried_at);
        CREATE INDEX offer_code_tries_by_time ON offer_code_tries(tried_at);
        """)
  ]
}
