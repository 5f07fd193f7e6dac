import StoreBase

extension Migration {
  static let payouts = [
    Migration(
      223, name: "payouts",
      sql: """
        CREATE TABLE payouts(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, amount BIGINT NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
          state TEXT NOT NULL, made_at BIGINT NOT NULL, sent_at BIGINT, settled_at BIGINT, reference TEXT) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE payouts(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, amount BIGINT NOT NULL CHECK (amount > 0),
          currency TEXT COLLATE "C" NOT NULL, state TEXT COLLATE "C" NOT NULL, made_at BIGINT NOT NULL, sent_at BIGINT,
          settled_at BIGINT, reference TEXT COLLATE "C");
        """)
  ]
}
