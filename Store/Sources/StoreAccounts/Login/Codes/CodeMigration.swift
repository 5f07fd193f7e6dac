import StoreBase

extension Migration {
  static let codes = [
    Migration(
      339, name: "recognized browsers, wrong codes in a row, and starts of sessions",
      sql: """
        ALTER TABLE web_sessions ADD COLUMN begun_at BIGINT;
        ALTER TABLE one_time_codes ADD COLUMN is_recognized BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE one_time_codes ADD COLUMN country TEXT;
        CREATE TABLE recognized_browsers(
          account_id TEXT NOT NULL, browser TEXT NOT NULL, since BIGINT NOT NULL, used_at BIGINT NOT NULL,
          language TEXT NOT NULL, PRIMARY KEY(account_id, browser)) WITHOUT ROWID;
        CREATE TABLE code_failures(
          contact TEXT NOT NULL, browser TEXT NOT NULL, count BIGINT NOT NULL, failed_at BIGINT NOT NULL,
          PRIMARY KEY(contact, browser)) WITHOUT ROWID;
        CREATE INDEX code_failures_by_time ON code_failures(failed_at);
        """,
      postgres: """
        ALTER TABLE web_sessions ADD COLUMN begun_at BIGINT;
        ALTER TABLE one_time_codes ADD COLUMN is_recognized BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE one_time_codes ADD COLUMN country TEXT COLLATE "C";
        CREATE TABLE recognized_browsers(
          account_id TEXT COLLATE "C" NOT NULL, browser TEXT COLLATE "C" NOT NULL, since BIGINT NOT NULL,
          used_at BIGINT NOT NULL, language TEXT COLLATE "C" NOT NULL, PRIMARY KEY(account_id, browser));
        CREATE TABLE code_failures(
          contact TEXT COLLATE "C" NOT NULL, browser TEXT COLLATE "C" NOT NULL, count BIGINT NOT NULL,
          failed_at BIGINT NOT NULL, PRIMARY KEY(contact, browser));
        CREATE INDEX code_failures_by_time ON code_failures(failed_at);
        """)
  ]
}
