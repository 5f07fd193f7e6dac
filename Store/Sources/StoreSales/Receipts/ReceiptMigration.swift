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
    Migration(
      340, name: "receipts are numbered after the commit of their sale",
      sql: """
        CREATE TABLE numbered_receipts(
          order_id TEXT PRIMARY KEY, entity TEXT NOT NULL, year BIGINT NOT NULL, number BIGINT, mail_failure TEXT,
          mail_failed_at BIGINT, sold_at BIGINT, UNIQUE (entity, year, number)) WITHOUT ROWID;
        INSERT INTO numbered_receipts(order_id, entity, year, number, mail_failure, mail_failed_at)
          SELECT order_id, entity, year, number, mail_failure, mail_failed_at FROM receipt_numbers ORDER BY order_id;
        DROP TABLE receipt_numbers;
        ALTER TABLE numbered_receipts RENAME TO receipt_numbers;
        CREATE INDEX receipt_numbers_undelivered ON receipt_numbers(mail_failed_at) WHERE mail_failed_at IS NOT NULL;
        CREATE INDEX receipt_numbers_waiting ON receipt_numbers(number, entity, year, sold_at, order_id)
          WHERE number IS NULL;
        """,
      postgres: """
        ALTER TABLE receipt_numbers ALTER COLUMN number DROP NOT NULL;
        ALTER TABLE receipt_numbers ADD COLUMN sold_at BIGINT;
        CREATE INDEX receipt_numbers_waiting ON receipt_numbers(number, entity, year, sold_at, order_id)
          WHERE number IS NULL;
        """),
  ]
}
