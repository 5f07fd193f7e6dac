import StoreBase

extension Migration {
  static let receipts = [
    Migration(
      222, name: "receipts are numbered",
      sql: """
        CREATE TABLE receipt_counters(
          entity TEXT NOT NULL, year BIGINT NOT NULL, newest BIGINT NOT NULL, PRIMARY KEY (entity, year)) WITHOUT ROWID;
        CREATE TABLE receipt_numbers(
          order_id TEXT PRIMARY KEY, entity TEXT NOT NULL, year BIGINT NOT NULL, number BIGINT NOT NULL,
          UNIQUE (entity, year, number)) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE receipt_counters(
          entity TEXT COLLATE "C" NOT NULL, year BIGINT NOT NULL, newest BIGINT NOT NULL, PRIMARY KEY (entity, year));
        CREATE TABLE receipt_numbers(
          order_id TEXT COLLATE "C" PRIMARY KEY, entity TEXT COLLATE "C" NOT NULL, year BIGINT NOT NULL,
          number BIGINT NOT NULL, UNIQUE (entity, year, number));
        """),
    Migration(
      333, name: "undelivered receipts",
      sql: """
        ALTER TABLE receipt_numbers ADD COLUMN mail_failure TEXT;
        ALTER TABLE receipt_numbers ADD COLUMN mail_failed_at BIGINT;
        CREATE INDEX receipt_numbers_undelivered ON receipt_numbers(mail_failed_at) WHERE mail_failed_at IS NOT NULL;
        """,
      postgres: """
        ALTER TABLE receipt_numbers ADD COLUMN mail_failure TEXT COLLATE "C";
        ALTER TABLE receipt_numbers ADD COLUMN mail_failed_at BIGINT;
        CREATE INDEX receipt_numbers_undelivered ON receipt_numbers(mail_failed_at) WHERE mail_failed_at IS NOT NULL;
        """),
  ]
}
