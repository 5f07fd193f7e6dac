import StoreBase

extension Migration {
  static let tax = [
    Migration(
      221, name: "tax rates, and how orders are taxed",
      sql: """
        CREATE TABLE tax_rates(
          country TEXT NOT NULL, valid_from BIGINT NOT NULL, basis_points BIGINT NOT NULL, first_day TEXT NOT NULL,
          time_zone TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (country, valid_from)) WITHOUT ROWID;
        CREATE TABLE order_taxes(
          order_id TEXT PRIMARY KEY, country TEXT NOT NULL, basis_points BIGINT, number_country TEXT, card_country TEXT,
          is_weak BIGINT NOT NULL) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE tax_rates(
          country TEXT COLLATE "C" NOT NULL, valid_from BIGINT NOT NULL, basis_points BIGINT NOT NULL,
          first_day TEXT COLLATE "C" NOT NULL, time_zone TEXT COLLATE "C" NOT NULL, source TEXT COLLATE "C" NOT NULL,
          PRIMARY KEY (country, valid_from));
        CREATE TABLE order_taxes(
          order_id TEXT COLLATE "C" PRIMARY KEY, country TEXT COLLATE "C" NOT NULL, basis_points BIGINT,
          number_country TEXT COLLATE "C", card_country TEXT COLLATE "C", is_weak BIGINT NOT NULL);
        """),
    Migration(
      231, name: "the country of the network that a payment was made from",
      sql: """
        ALTER TABLE payments ADD COLUMN network_country TEXT;
        ALTER TABLE order_taxes ADD COLUMN network_country TEXT;
        """,
      postgres: """
        ALTER TABLE payments ADD COLUMN network_country TEXT COLLATE "C";
        ALTER TABLE order_taxes ADD COLUMN network_country TEXT COLLATE "C";
        """),
  ]
}
