import StoreBase

extension Migration {
  static let eventCounters = [
    Migration(
      346, name: "counters of events",
      sql: "CREATE TABLE event_counters(app_id TEXT PRIMARY KEY, newest BIGINT NOT NULL) WITHOUT ROWID;",
      postgres: """
        CREATE TABLE event_counters(app_id TEXT COLLATE "C" PRIMARY KEY, newest BIGINT NOT NULL);
        """)
  ]
}
