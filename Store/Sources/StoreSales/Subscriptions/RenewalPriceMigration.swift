import StoreBase

extension Migration {
  // Prices that are announced or deferred become rows, from their first announcement on: one whose message is not sent
  // before the renewal is announced again with the next period. Rows without rules have the standard ones.
  static let renewalPrices = [
    Migration(
      334, name: "prices for present subscribers",
      sql: """
        CREATE TABLE renewal_prices(
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, product_id TEXT NOT NULL, country TEXT NOT NULL,
          amount BIGINT NOT NULL, currency TEXT NOT NULL, valid_from BIGINT NOT NULL, notice_days BIGINT NOT NULL,
          rules TEXT, keeps_without_consent BIGINT NOT NULL, created_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX renewal_prices_by_product ON renewal_prices(app_id, product_id, country, created_at);
        ALTER TABLE subscription_prices ADD COLUMN renewal_price_id TEXT;
        \(insertPresentPrices(
          pending: "json_extract(s.machine, '$.priceChange.price.amount')",
          product: "json_extract(s.machine, '$.period.plan.productID')",
          present: "json_extract(s.machine, '$.period.plan.price.amount')"))
        """,
      postgres: """
        CREATE TABLE renewal_prices(
          id TEXT COLLATE "C" PRIMARY KEY, app_id TEXT COLLATE "C" NOT NULL, product_id TEXT COLLATE "C" NOT NULL,
          country TEXT COLLATE "C" NOT NULL, amount BIGINT NOT NULL, currency TEXT COLLATE "C" NOT NULL,
          valid_from BIGINT NOT NULL, notice_days BIGINT NOT NULL, rules TEXT COLLATE "C",
          keeps_without_consent BIGINT NOT NULL, created_at BIGINT NOT NULL);
        CREATE INDEX renewal_prices_by_product ON renewal_prices(app_id, product_id, country, created_at);
        ALTER TABLE subscription_prices ADD COLUMN renewal_price_id TEXT COLLATE "C";
        \(insertPresentPrices(
          pending: "(s.machine::jsonb #>> '{priceChange,price,amount}')::bigint",
          product: "s.machine::jsonb #>> '{period,plan,productID}'",
          present: "(s.machine::jsonb #>> '{period,plan,price,amount}')::bigint"))
        """)
  ]

  /// - Parameters:
  ///   - pending: the amount of the price that the next renewals of a subscription are to have.
  ///   - product: its product.
  ///   - present: the amount of its price.
  private static func insertPresentPrices(pending: String, product: String, present: String) -> String {
    """
      INSERT INTO renewal_prices(
        id, app_id, product_id, country, amount, currency, valid_from, notice_days, rules, keeps_without_consent,
        created_at)
        SELECT min(d.id), d.app_id, d.product_id, o.country, d.new_amount, d.currency, 0, 1,
          NULL, 0, min(d.asked_at)
        FROM subscription_prices d
        JOIN subscriptions s ON s.account_id = d.account_id AND s.app_id = d.app_id AND s.group_id = d.group_id
        JOIN orders o ON o.id = s.last_order_id
        WHERE (d.answer = 'deferred' OR d.answer IS NULL AND d.new_amount = \(pending))
          AND d.product_id = \(product) AND d.old_amount = \(present) AND s.wakes_at IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM subscription_prices n WHERE n.account_id = d.account_id AND n.app_id = d.app_id
            AND n.group_id = d.group_id AND (n.asked_at > d.asked_at OR n.asked_at = d.asked_at AND n.id > d.id))
        GROUP BY d.app_id, d.product_id, o.country, d.new_amount, d.currency;
    """
  }
}
