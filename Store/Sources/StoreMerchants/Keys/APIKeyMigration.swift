import StoreBase

extension Migration {
  static let apiKeys = [
    Migration(
      344, name: "API keys of merchants",
      sql: """
        CREATE TABLE api_keys(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL,
          created_at BIGINT NOT NULL, last_used_at BIGINT) WITHOUT ROWID;
        CREATE INDEX api_keys_of_app ON api_keys(app_id);
        CREATE TABLE api_key_secrets(
          key_id TEXT NOT NULL, hash TEXT NOT NULL, created_at BIGINT NOT NULL, valid_until BIGINT,
          PRIMARY KEY (key_id, hash)) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE api_keys(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL,
          scopes TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT);
        CREATE INDEX api_keys_of_app ON api_keys(app_id);
        CREATE TABLE api_key_secrets(
          key_id TEXT COLLATE "C" NOT NULL, hash TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL,
          valid_until BIGINT, PRIMARY KEY (key_id, hash));
        """)
  ]
}
