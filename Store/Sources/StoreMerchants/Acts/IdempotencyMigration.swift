import StoreBase

extension Migration {
  static let idempotencyAnswers = [
    Migration(
      350, name: "answers to acts of merchants' servers",
      sql: """
        CREATE TABLE idempotency_answers(
          app_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, request_hash TEXT NOT NULL, account_id TEXT,
          status BIGINT NOT NULL, answer TEXT NOT NULL, created_at BIGINT NOT NULL,
          PRIMARY KEY (app_id, idempotency_key)) WITHOUT ROWID;
        CREATE INDEX idempotency_answers_by_time ON idempotency_answers(created_at);
        CREATE INDEX idempotency_answers_by_account ON idempotency_answers(account_id) WHERE account_id IS NOT NULL;
        """,
      postgres: """
        CREATE TABLE idempotency_answers(
          app_id TEXT COLLATE "C" NOT NULL, idempotency_key TEXT COLLATE "C" NOT NULL,
          request_hash TEXT COLLATE "C" NOT NULL, account_id TEXT COLLATE "C", status BIGINT NOT NULL,
          answer TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (app_id, idempotency_key));
        CREATE INDEX idempotency_answers_by_time ON idempotency_answers(created_at);
        CREATE INDEX idempotency_answers_by_account ON idempotency_answers(account_id) WHERE account_id IS NOT NULL;
        """)
  ]
}
