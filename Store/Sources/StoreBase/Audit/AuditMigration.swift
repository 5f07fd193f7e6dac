extension Migration {
  static let audit = [
    Migration(
      343, name: "acts of operators",
      sql: """
        CREATE TABLE audit(
          id TEXT PRIMARY KEY, acted_at BIGINT NOT NULL, via TEXT NOT NULL, operator TEXT NOT NULL, act TEXT NOT NULL,
          subject TEXT, arguments TEXT NOT NULL, outcome TEXT NOT NULL, error TEXT) WITHOUT ROWID;
        CREATE INDEX audit_by_time ON audit(acted_at, id);
        CREATE INDEX audit_by_subject ON audit(subject) WHERE subject IS NOT NULL;
        """,
      postgres: """
        CREATE TABLE audit(
          id TEXT COLLATE "C" PRIMARY KEY, acted_at BIGINT NOT NULL, via TEXT COLLATE "C" NOT NULL,
          operator TEXT COLLATE "C" NOT NULL, act TEXT COLLATE "C" NOT NULL, subject TEXT COLLATE "C",
          arguments TEXT COLLATE "C" NOT NULL, outcome TEXT COLLATE "C" NOT NULL, error TEXT COLLATE "C");
        CREATE INDEX audit_by_time ON audit(acted_at, id);
        CREATE INDEX audit_by_subject ON audit(subject) WHERE subject IS NOT NULL;
        """)
  ]
}
