import StoreBase

extension Migration {
  static let merchantCustomers = [
    Migration(
      345, name: "customers of merchants, and index of orders by the app's token",
      sql: """
        CREATE TABLE merchant_customers(
          app_id TEXT NOT NULL, subject TEXT NOT NULL, account_id TEXT NOT NULL, epoch TEXT NOT NULL,
          PRIMARY KEY(app_id, subject)) WITHOUT ROWID;
        CREATE UNIQUE INDEX merchant_customers_by_account ON merchant_customers(account_id, app_id);
        CREATE INDEX orders_by_app_account_token ON orders(app_id, app_account_token, account_id)
          WHERE app_account_token IS NOT NULL AND state = 'paid' AND duplicate_of IS NULL;
        """,
      postgres: """
        CREATE TABLE merchant_customers(
          app_id TEXT COLLATE "C" NOT NULL, subject TEXT COLLATE "C" NOT NULL, account_id TEXT COLLATE "C" NOT NULL,
          epoch TEXT COLLATE "C" NOT NULL, PRIMARY KEY(app_id, subject));
        CREATE UNIQUE INDEX merchant_customers_by_account ON merchant_customers(account_id, app_id);
        CREATE INDEX orders_by_app_account_token ON orders(app_id, app_account_token, account_id)
          WHERE app_account_token IS NOT NULL AND state = 'paid' AND duplicate_of IS NULL;
        """)
  ]
}
