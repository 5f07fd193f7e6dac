import StoreBase

extension Migration {
  static let wallet = [
    Migration(
      86, name: "login challenges that have served",
      sql: """
        CREATE TABLE wallet_challenges(id TEXT PRIMARY KEY, expires_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX wallet_challenges_by_end ON wallet_challenges(expires_at);
        """,
      postgres: """
        CREATE TABLE wallet_challenges(id TEXT COLLATE "C" PRIMARY KEY, expires_at BIGINT NOT NULL);
        CREATE INDEX wallet_challenges_by_end ON wallet_challenges(expires_at);
        """)
  ]
}
