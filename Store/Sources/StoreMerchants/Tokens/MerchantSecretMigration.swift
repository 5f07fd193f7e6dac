import StoreBase

extension Migration {
  static let merchantSecrets = [
    Migration(
      347, name: "secrets of merchants and the used ids of their JWTs",
      sql: """
        CREATE TABLE merchant_secrets(
          id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL, app_id TEXT NOT NULL, sealed BLOB NOT NULL,
          created_at BIGINT NOT NULL, last_used_at BIGINT, valid_until BIGINT) WITHOUT ROWID;
        CREATE UNIQUE INDEX merchant_secrets_newest ON merchant_secrets(app_id) WHERE valid_until IS NULL;
        CREATE TABLE merchant_token_ids(
          merchant_id TEXT NOT NULL, id_hash TEXT NOT NULL, remembered_until BIGINT NOT NULL,
          PRIMARY KEY (merchant_id, id_hash)) WITHOUT ROWID;
        CREATE INDEX merchant_token_ids_by_end ON merchant_token_ids(remembered_until);
        """,
      postgres: """
        CREATE TABLE merchant_secrets(
          id TEXT COLLATE "C" PRIMARY KEY, merchant_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          sealed BYTEA NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT, valid_until BIGINT);
        CREATE UNIQUE INDEX merchant_secrets_newest ON merchant_secrets(app_id) WHERE valid_until IS NULL;
        CREATE TABLE merchant_token_ids(
          merchant_id TEXT COLLATE "C" NOT NULL, id_hash TEXT COLLATE "C" NOT NULL, remembered_until BIGINT NOT NULL,
          PRIMARY KEY (merchant_id, id_hash));
        CREATE INDEX merchant_token_ids_by_end ON merchant_token_ids(remembered_until);
        """)
  ]
}
