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
        """),
    Migration(
      170, name: "deliveries are taken with a lease",
      sql: """
        ALTER TABLE outbox ADD COLUMN lease_by TEXT;
        ALTER TABLE outbox ADD COLUMN lease_until BIGINT;
        """,
      postgres: """
        ALTER TABLE outbox ADD COLUMN lease_by TEXT COLLATE "C";
        ALTER TABLE outbox ADD COLUMN lease_until BIGINT;
        """),
    Migration(
      322, name: "no delivery is set aside",
      sql: """
        UPDATE outbox SET due_at = set_aside_at WHERE set_aside_at IS NOT NULL;
        DROP INDEX outbox_by_kind;
        DROP INDEX outbox_failing;
        DROP INDEX outbox_set_aside;
        ALTER TABLE outbox DROP COLUMN set_aside_at;
        CREATE INDEX outbox_by_kind ON outbox(kind, due_at);
        CREATE INDEX outbox_failing ON outbox(kind, failing_since) WHERE failing_since IS NOT NULL;
        """),
  ]
}
