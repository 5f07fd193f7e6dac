import StoreBase

extension Migration {
  static let catalogue = [
    Migration(
      4, name: "catalogue",
      sql: """
        CREATE TABLE catalogues(
          app_id TEXT PRIMARY KEY, default_language TEXT NOT NULL, updated_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE TABLE products(
          app_id TEXT NOT NULL, id TEXT NOT NULL, position BIGINT NOT NULL, product TEXT NOT NULL, removed_at BIGINT,
          PRIMARY KEY (app_id, id)) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE catalogues(
          app_id TEXT COLLATE "C" PRIMARY KEY, default_language TEXT COLLATE "C" NOT NULL, updated_at BIGINT NOT NULL);
        CREATE TABLE products(
          app_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, position BIGINT NOT NULL,
          product TEXT COLLATE "C" NOT NULL, removed_at BIGINT, PRIMARY KEY (app_id, id));
        """)
  ]
}
