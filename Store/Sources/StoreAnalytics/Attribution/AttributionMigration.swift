import StoreBase

extension Migration {
  static let attribution = [
    Migration(
      41, name: "visits, claims and installations",
      sql: """
        CREATE TABLE attribution_visits(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, visitor TEXT NOT NULL, address TEXT NOT NULL, referrer TEXT,
          gclid TEXT, gbraid TEXT, wbraid TEXT, network TEXT, visited_at BIGINT NOT NULL, redeemed_at BIGINT)
          WITHOUT ROWID;
        CREATE INDEX attribution_visits_by_network ON attribution_visits(app_id, network, visited_at);
        CREATE INDEX attribution_visits_by_time ON attribution_visits(visited_at);
        CREATE TABLE attribution_claims(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, visit_id TEXT NOT NULL, expires_at BIGINT NOT NULL,
          installation_id TEXT) WITHOUT ROWID;
        CREATE INDEX attribution_claims_by_time ON attribution_claims(expires_at);
        CREATE TABLE installations(
          app_id TEXT NOT NULL, id TEXT NOT NULL, visit_id TEXT, address TEXT, created_at BIGINT NOT NULL,
          PRIMARY KEY(app_id, id)) WITHOUT ROWID;
        CREATE TABLE attribution_events(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, label TEXT NOT NULL, happened_at BIGINT NOT NULL, visit_id TEXT,
          installation_id TEXT, gclid TEXT, gbraid TEXT, wbraid TEXT) WITHOUT ROWID;
        CREATE INDEX attribution_events_by_time ON attribution_events(app_id, happened_at);
        CREATE INDEX attribution_events_by_installation ON attribution_events(app_id, installation_id);
        """,
      postgres: """
        CREATE TABLE attribution_visits(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, visitor TEXT COLLATE "C" NOT NULL,
          address TEXT COLLATE "C" NOT NULL, referrer TEXT COLLATE "C", gclid TEXT COLLATE "C", gbraid TEXT COLLATE "C",
          wbraid TEXT COLLATE "C", network TEXT COLLATE "C", visited_at BIGINT NOT NULL, redeemed_at BIGINT);
        CREATE INDEX attribution_visits_by_network ON attribution_visits(app_id, network, visited_at);
        CREATE INDEX attribution_visits_by_time ON attribution_visits(visited_at);
        CREATE TABLE attribution_claims(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, visit_id TEXT COLLATE "C" NOT NULL,
          expires_at BIGINT NOT NULL, installation_id TEXT COLLATE "C");
        CREATE INDEX attribution_claims_by_time ON attribution_claims(expires_at);
        CREATE TABLE installations(
          app_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, visit_id TEXT COLLATE "C",
          address TEXT COLLATE "C", created_at BIGINT NOT NULL, PRIMARY KEY(app_id, id));
        CREATE TABLE attribution_events(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, label TEXT COLLATE "C" NOT NULL,
          happened_at BIGINT NOT NULL, visit_id TEXT COLLATE "C", installation_id TEXT COLLATE "C",
          gclid TEXT COLLATE "C", gbraid TEXT COLLATE "C", wbraid TEXT COLLATE "C");
        CREATE INDEX attribution_events_by_time ON attribution_events(app_id, happened_at);
        CREATE INDEX attribution_events_by_installation ON attribution_events(app_id, installation_id);
        """)
  ]
}
