import StoreBase

extension Migration {
  static let apps = [
    Migration(
      2, name: "apps",
      sql: """
        CREATE TABLE apps(
          id TEXT PRIMARY KEY, name TEXT NOT NULL, redirect_uris TEXT NOT NULL, default_country TEXT,
          created_at BIGINT NOT NULL) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE apps(
          id TEXT COLLATE "C" PRIMARY KEY, name TEXT COLLATE "C" NOT NULL, redirect_uris TEXT COLLATE "C" NOT NULL,
          default_country TEXT COLLATE "C", created_at BIGINT NOT NULL);
        """),
    Migration(
      40, name: "install addresses", sql: "ALTER TABLE apps ADD COLUMN install_uri TEXT;",
      postgres: #"ALTER TABLE apps ADD COLUMN install_uri TEXT COLLATE "C";"#),
  ]
}
