import StoreBase

extension Migration {
  static let events = [
    Migration(
      42, name: "events and the credentials of merchants' servers",
      sql: """
        CREATE TABLE events(
          app_id TEXT NOT NULL, id TEXT NOT NULL, installation_id TEXT NOT NULL, name TEXT NOT NULL, country TEXT,
          happened_at BIGINT NOT NULL, received_at BIGINT NOT NULL, source TEXT NOT NULL, parameters TEXT NOT NULL,
          PRIMARY KEY(app_id, id)) WITHOUT ROWID;
        CREATE INDEX events_by_installation ON events(app_id, installation_id, happened_at, id);
        CREATE INDEX events_by_time ON events(received_at);
        CREATE TABLE server_credentials(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, secret TEXT NOT NULL, created_at BIGINT NOT NULL) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE events(
          app_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, installation_id TEXT COLLATE "C" NOT NULL,
          name TEXT COLLATE "C" NOT NULL, country TEXT COLLATE "C", happened_at BIGINT NOT NULL,
          received_at BIGINT NOT NULL, source TEXT COLLATE "C" NOT NULL, parameters TEXT COLLATE "C" NOT NULL,
          PRIMARY KEY(app_id, id));
        CREATE INDEX events_by_installation ON events(app_id, installation_id, happened_at, id);
        CREATE INDEX events_by_time ON events(received_at);
        CREATE TABLE server_credentials(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, secret TEXT COLLATE "C" NOT NULL,
          created_at BIGINT NOT NULL);
        """),
    Migration(
      335, name: "bytes of events by app and day",
      sql: """
        CREATE TABLE event_days(
          day BIGINT NOT NULL, app_id TEXT NOT NULL, bytes BIGINT NOT NULL, PRIMARY KEY(day, app_id)) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE event_days(
          day BIGINT NOT NULL, app_id TEXT COLLATE "C" NOT NULL, bytes BIGINT NOT NULL, PRIMARY KEY(day, app_id));
        """),
  ]
}
