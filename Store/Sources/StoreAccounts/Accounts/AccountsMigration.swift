import StoreBase

extension Migration {
  static let accounts = [
    Migration(
      20, name: "accounts",
      sql: """
        CREATE TABLE accounts(
          id TEXT PRIMARY KEY, phone TEXT UNIQUE, country TEXT NOT NULL, created_at BIGINT NOT NULL,
          removed_at BIGINT) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE accounts(
          id TEXT COLLATE "C" PRIMARY KEY, phone TEXT COLLATE "C" UNIQUE, country TEXT COLLATE "C" NOT NULL,
          created_at BIGINT NOT NULL, removed_at BIGINT);
        """),
    Migration(
      21, name: "login attempts and one-time codes",
      sql: """
        CREATE TABLE login_attempts(
          id TEXT PRIMARY KEY, browser TEXT NOT NULL, app_id TEXT, redirect_uri TEXT, code_challenge TEXT, state TEXT,
          next_path TEXT, language TEXT NOT NULL, theme TEXT NOT NULL, country_hint TEXT, phone TEXT,
          verified_at BIGINT, finished_at BIGINT, expires_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX login_attempts_by_end ON login_attempts(expires_at);
        CREATE TABLE one_time_codes(
          id TEXT PRIMARY KEY, attempt_id TEXT NOT NULL, phone TEXT NOT NULL, number_range TEXT NOT NULL,
          device TEXT NOT NULL, network TEXT NOT NULL, language TEXT NOT NULL, sent_at BIGINT NOT NULL,
          expires_at BIGINT NOT NULL, tries BIGINT NOT NULL DEFAULT 0, used_at BIGINT,
          delivered_at BIGINT, deliveries BIGINT NOT NULL DEFAULT 0, next_delivery_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX one_time_codes_by_attempt ON one_time_codes(attempt_id, sent_at);
        CREATE INDEX one_time_codes_by_phone ON one_time_codes(phone, sent_at);
        CREATE INDEX one_time_codes_by_range ON one_time_codes(number_range, sent_at);
        CREATE INDEX one_time_codes_by_device ON one_time_codes(device, sent_at);
        CREATE INDEX one_time_codes_by_network ON one_time_codes(network, sent_at);
        CREATE INDEX one_time_codes_by_time ON one_time_codes(sent_at);
        CREATE INDEX one_time_codes_waiting ON one_time_codes(next_delivery_at) WHERE delivered_at IS NULL;
        """,
      postgres: """
        CREATE TABLE login_attempts(
          id TEXT COLLATE "C" PRIMARY KEY, browser TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C",
          redirect_uri TEXT COLLATE "C", code_challenge TEXT COLLATE "C", state TEXT COLLATE "C",
          next_path TEXT COLLATE "C", language TEXT COLLATE "C" NOT NULL, theme TEXT COLLATE "C" NOT NULL,
          country_hint TEXT COLLATE "C", phone TEXT COLLATE "C", verified_at BIGINT, finished_at BIGINT,
          expires_at BIGINT NOT NULL);
        CREATE INDEX login_attempts_by_end ON login_attempts(expires_at);
        CREATE TABLE one_time_codes(
          id TEXT COLLATE "C" PRIMARY KEY, attempt_id TEXT COLLATE "C" NOT NULL, phone TEXT COLLATE "C" NOT NULL,
          number_range TEXT COLLATE "C" NOT NULL, device TEXT COLLATE "C" NOT NULL, network TEXT COLLATE "C" NOT NULL,
          language TEXT COLLATE "C" NOT NULL, sent_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
          tries BIGINT NOT NULL DEFAULT 0, used_at BIGINT, delivered_at BIGINT, deliveries BIGINT NOT NULL DEFAULT 0,
          next_delivery_at BIGINT NOT NULL);
        CREATE INDEX one_time_codes_by_attempt ON one_time_codes(attempt_id, sent_at);
        CREATE INDEX one_time_codes_by_phone ON one_time_codes(phone, sent_at);
        CREATE INDEX one_time_codes_by_range ON one_time_codes(number_range, sent_at);
        CREATE INDEX one_time_codes_by_device ON one_time_codes(device, sent_at);
        CREATE INDEX one_time_codes_by_network ON one_time_codes(network, sent_at);
        CREATE INDEX one_time_codes_by_time ON one_time_codes(sent_at);
        CREATE INDEX one_time_codes_waiting ON one_time_codes(next_delivery_at) WHERE delivered_at IS NULL;
        """),
    Migration(
      22, name: "web sessions",
      sql: """
        CREATE TABLE web_sessions(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)
          WITHOUT ROWID;
        CREATE INDEX web_sessions_by_account ON web_sessions(account_id);
        """,
      postgres: """
        CREATE TABLE web_sessions(
          id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL,
          expires_at BIGINT NOT NULL);
        CREATE INDEX web_sessions_by_account ON web_sessions(account_id);
        """),
    Migration(
      24, name: "sessions of the payment methods page",
      sql: """
        CREATE TABLE methods_sessions(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL, browser TEXT,
          expires_at BIGINT NOT NULL) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE methods_sessions(
          id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          browser TEXT COLLATE "C", expires_at BIGINT NOT NULL);
        """),
    Migration(
      26, name: "payment methods are shown to their owner, not to the first browser",
      sql: "ALTER TABLE methods_sessions DROP COLUMN browser;"),
    Migration(
      70, name: "an account has any number of proved phone numbers and e-mail addresses",
      sql: """
        CREATE TABLE identities(contact TEXT PRIMARY KEY, account_id TEXT NOT NULL, verified_at BIGINT NOT NULL)
          WITHOUT ROWID;
        CREATE INDEX identities_by_account ON identities(account_id);
        INSERT INTO identities(contact, account_id, verified_at)
          SELECT phone, id, created_at FROM accounts WHERE phone IS NOT NULL;
        CREATE TABLE accounts_without_phone(
          id TEXT PRIMARY KEY, country TEXT NOT NULL, created_at BIGINT NOT NULL, removed_at BIGINT) WITHOUT ROWID;
        INSERT INTO accounts_without_phone SELECT id, country, created_at, removed_at FROM accounts;
        DROP TABLE accounts;
        ALTER TABLE accounts_without_phone RENAME TO accounts;
        """,
      postgres: """
        CREATE TABLE identities(
          contact TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, verified_at BIGINT NOT NULL);
        CREATE INDEX identities_by_account ON identities(account_id);
        ALTER TABLE accounts DROP COLUMN phone;
        """),
    // An account that is not null gets what the login proves.
    Migration(
      80, name: "identities that others vouch for, and logins that add one to an account",
      sql: """
        ALTER TABLE identities ADD COLUMN label TEXT;
        ALTER TABLE login_attempts ADD COLUMN label TEXT;
        ALTER TABLE login_attempts ADD COLUMN account_id TEXT;
        ALTER TABLE login_attempts ADD COLUMN is_proof BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE login_attempts ADD COLUMN is_local BIGINT NOT NULL DEFAULT 0;
        """,
      postgres: """
        ALTER TABLE identities ADD COLUMN label TEXT COLLATE "C";
        ALTER TABLE login_attempts ADD COLUMN label TEXT COLLATE "C";
        ALTER TABLE login_attempts ADD COLUMN account_id TEXT COLLATE "C";
        ALTER TABLE login_attempts ADD COLUMN is_proof BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE login_attempts ADD COLUMN is_local BIGINT NOT NULL DEFAULT 0;
        """),
    Migration(
      81, name: "questions to OpenID providers",
      sql: """
        ALTER TABLE login_attempts ADD COLUMN provider TEXT;
        ALTER TABLE login_attempts ADD COLUMN provider_state TEXT;
        CREATE INDEX login_attempts_by_state ON login_attempts(provider_state) WHERE provider_state IS NOT NULL;
        """,
      postgres: """
        ALTER TABLE login_attempts ADD COLUMN provider TEXT COLLATE "C";
        ALTER TABLE login_attempts ADD COLUMN provider_state TEXT COLLATE "C";
        CREATE INDEX login_attempts_by_state ON login_attempts(provider_state) WHERE provider_state IS NOT NULL;
        """),
    // Devices hold cursors with numbers that counted the changes of all accounts: each account goes on above them.
    Migration(
      150, name: "changes are numbered for each account",
      sql: """
        ALTER TABLE accounts ADD COLUMN newest_change BIGINT NOT NULL DEFAULT 0;
        UPDATE accounts SET newest_change = coalesce((SELECT value FROM sequences WHERE name = 'changes'), 0);
        DROP TABLE sequences;
        """),
    // Few are, in a sandbox, and none in production.
    Migration(
      300, name: "accounts of a sandbox that are ahead of the store's time",
      sql: """
        ALTER TABLE accounts ADD COLUMN ahead_ms BIGINT NOT NULL DEFAULT 0;
        CREATE INDEX accounts_ahead ON accounts(ahead_ms) WHERE ahead_ms > 0;
        """),
  ]
}
