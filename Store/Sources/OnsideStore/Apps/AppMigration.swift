extension Migration {
  static let apps = [
    Migration(
      2, "apps",
      """
      CREATE TABLE apps(
        id TEXT PRIMARY KEY, name TEXT NOT NULL, redirect_uris TEXT NOT NULL, default_country TEXT,
        created_at BIGINT NOT NULL) WITHOUT ROWID;
      """),
    Migration(40, "install addresses", "ALTER TABLE apps ADD COLUMN install_uri TEXT;"),
  ]
}
