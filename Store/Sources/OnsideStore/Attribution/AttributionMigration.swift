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
        """)
  ]
}
