import StoreBase

extension Migration {
  static let gauges = [
    Migration(
      140, name: "what waits or is stuck is counted by an index",
      sql: """
        CREATE INDEX outbox_failing ON outbox(kind, failing_since)
          WHERE failing_since IS NOT NULL AND set_aside_at IS NULL;
        CREATE INDEX outbox_set_aside ON outbox(kind) WHERE set_aside_at IS NOT NULL;
        CREATE INDEX orders_owing ON orders(created_at) WHERE owes_refund = 1;
        """)
  ]
}
