import StoreBase

extension Migration {
  static let oauth = [
    Migration(
      23, name: "sessions and authorization codes",
      sql: """
        CREATE TABLE sessions(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL, secret BLOB NOT NULL,
          generation BIGINT NOT NULL, rotated_at BIGINT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT)
          WITHOUT ROWID;
        CREATE INDEX sessions_by_account ON sessions(account_id);
        CREATE TABLE authorization_codes(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, redirect_uri TEXT NOT NULL, code_challenge TEXT NOT NULL,
          account_id TEXT NOT NULL, created_at BIGINT NOT NULL, session_id TEXT) WITHOUT ROWID;
        CREATE INDEX authorization_codes_by_time ON authorization_codes(created_at);
        """,
      postgres: """
        CREATE TABLE sessions(
          id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          secret BYTEA NOT NULL, generation BIGINT NOT NULL, rotated_at BIGINT NOT NULL, created_at BIGINT NOT NULL,
          revoked_at BIGINT);
        CREATE INDEX sessions_by_account ON sessions(account_id);
        CREATE TABLE authorization_codes(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, redirect_uri TEXT COLLATE "C" NOT NULL,
          code_challenge TEXT COLLATE "C" NOT NULL, account_id TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL,
          session_id TEXT COLLATE "C");
        CREATE INDEX authorization_codes_by_time ON authorization_codes(created_at);
        """),
    // Access tokens of before do not say their generation: what was rotated then counts as arrived.
    Migration(
      25, name: "confirmed refresh tokens",
      sql: """
        ALTER TABLE sessions ADD COLUMN confirmed_at BIGINT;
        UPDATE sessions SET confirmed_at = rotated_at;
        """),
    Migration(
      60, name: "where sessions are used, and when",
      sql: """
        ALTER TABLE sessions ADD COLUMN device TEXT;
        ALTER TABLE authorization_codes ADD COLUMN device TEXT;
        ALTER TABLE web_sessions ADD COLUMN device TEXT;
        ALTER TABLE web_sessions ADD COLUMN used_at BIGINT;
        CREATE INDEX sessions_ended ON sessions(revoked_at) WHERE revoked_at IS NOT NULL;
        """,
      postgres: """
        ALTER TABLE sessions ADD COLUMN device TEXT COLLATE "C";
        ALTER TABLE authorization_codes ADD COLUMN device TEXT COLLATE "C";
        ALTER TABLE web_sessions ADD COLUMN device TEXT COLLATE "C";
        ALTER TABLE web_sessions ADD COLUMN used_at BIGINT;
        CREATE INDEX sessions_ended ON sessions(revoked_at) WHERE revoked_at IS NOT NULL;
        """),
    // Sessions of before were given the account's id, and go on with it.
    Migration(
      320, name: "sessions that know their account by its subject in the app",
      sql: "ALTER TABLE sessions ADD COLUMN is_pairwise BIGINT NOT NULL DEFAULT 0;"),
  ]
}
