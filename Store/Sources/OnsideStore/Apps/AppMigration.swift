extension Migration {
  static let apps = [
    Migration(
      2, name: "apps",
      sql: """
        CREATE TABLE apps(
          id TEXT PRIMARY KEY, name TEXT NOT NULL, redirect_uris TEXT NOT NULL, default_country TEXT,
          created_at BIGINT NOT NULL) WITHOUT ROWID;
        """),
    Migration(40, name: "install addresses", sql: "ALTER TABLE apps ADD COLUMN install_uri TEXT;"),
  ]
}
