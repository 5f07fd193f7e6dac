extension Migration {
  static let outbox = [
    Migration(
      125, name: "deliveries set aside",
      sql: """
        ALTER TABLE outbox ADD COLUMN failing_since BIGINT;
        ALTER TABLE outbox ADD COLUMN set_aside_at BIGINT;
        ALTER TABLE outbox ADD COLUMN error TEXT;
        DROP INDEX outbox_by_due;
        CREATE INDEX outbox_by_kind ON outbox(kind, due_at) WHERE set_aside_at IS NULL;
        """,
      postgres: """
        ALTER TABLE outbox ADD COLUMN failing_since BIGINT;
        ALTER TABLE outbox ADD COLUMN set_aside_at BIGINT;
        ALTER TABLE outbox ADD COLUMN error TEXT COLLATE "C";
        DROP INDEX outbox_by_due;
        CREATE INDEX outbox_by_kind ON outbox(kind, due_at) WHERE set_aside_at IS NULL;
        """)
  ]
}
