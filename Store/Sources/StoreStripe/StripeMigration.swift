package import StoreBase

extension Migration {
  package static let stripe = [
    Migration(
      228, name: "the customers of accounts at Stripe",
      sql: """
        CREATE TABLE stripe_customers(account_id TEXT PRIMARY KEY, customer TEXT NOT NULL, created_at BIGINT NOT NULL) \
        WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE stripe_customers(
          account_id TEXT COLLATE "C" PRIMARY KEY, customer TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL);
        """)
  ]
}
