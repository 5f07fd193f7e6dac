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
      333, name: "rejected receipts",
      sql: """
        ALTER TABLE receipt_numbers ADD COLUMN rejection TEXT;
        ALTER TABLE receipt_numbers ADD COLUMN rejected_at BIGINT;
        CREATE INDEX receipt_numbers_rejected ON receipt_numbers(rejected_at) WHERE rejected_at IS NOT NULL;
        """,
      postgres: """
        ALTER TABLE receipt_numbers ADD COLUMN rejection TEXT COLLATE "C";
        ALTER TABLE receipt_numbers ADD COLUMN rejected_at BIGINT;
        CREATE INDEX receipt_numbers_rejected ON receipt_numbers(rejected_at) WHERE rejected_at IS NOT NULL;
        """),
  ]
}
