import StoreBase

extension Migration {
  static let subscriptions = [
    Migration(
      250, name: "subscriptions that renew",
      sql: """
        CREATE TABLE subscriptions(
          account_id TEXT NOT NULL, app_id TEXT NOT NULL, group_id TEXT NOT NULL, machine TEXT NOT NULL,
          wakes_at BIGINT, first_order_id TEXT NOT NULL, last_order_id TEXT NOT NULL, renewal_order_id TEXT,
          PRIMARY KEY (account_id, app_id, group_id)) WITHOUT ROWID;
        CREATE INDEX subscriptions_due ON subscriptions(wakes_at) WHERE wakes_at IS NOT NULL;
        CREATE TABLE subscription_periods(
          order_id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL, group_id TEXT NOT NULL,
          number BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX subscription_periods_by_account ON subscription_periods(account_id);
        """,
      postgres: """
        CREATE TABLE subscriptions(
          account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL, group_id TEXT COLLATE "C" NOT NULL,
          machine TEXT COLLATE "C" NOT NULL, wakes_at BIGINT, first_order_id TEXT COLLATE "C" NOT NULL,
          last_order_id TEXT COLLATE "C" NOT NULL, renewal_order_id TEXT COLLATE "C",
          PRIMARY KEY (account_id, app_id, group_id));
        CREATE INDEX subscriptions_due ON subscriptions(wakes_at) WHERE wakes_at IS NOT NULL;
        CREATE TABLE subscription_periods(
          order_id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL,
          app_id TEXT COLLATE "C" NOT NULL, group_id TEXT COLLATE "C" NOT NULL, number BIGINT NOT NULL);
        CREATE INDEX subscription_periods_by_account ON subscription_periods(account_id);
        """),
    Migration(
      251, name: "methods that are kept for a subscription alone",
      sql: """
        ALTER TABLE payments ADD COLUMN keeps BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE payments ADD COLUMN kept_method TEXT;
        CREATE INDEX payments_kept ON payments(provider, kept_method) WHERE kept_method IS NOT NULL;
        """,
      postgres: """
        ALTER TABLE payments ADD COLUMN keeps BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE payments ADD COLUMN kept_method TEXT COLLATE "C";
        CREATE INDEX payments_kept ON payments(provider, kept_method) WHERE kept_method IS NOT NULL;
        """),
    Migration(
      252, name: "open orders that expire are found without the unpaid periods of subscriptions",
      sql: """
        DROP INDEX orders_open;
        CREATE INDEX orders_open ON orders(created_at) WHERE state = 'open' AND reason <> 'RENEWAL';
        """),
    Migration(
      260, name: "plans that start with the next renewal",
      sql: """
        ALTER TABLE subscriptions ADD COLUMN next_product BIGINT;
        ALTER TABLE subscriptions ADD COLUMN next_country TEXT;
        """,
      postgres: """
        ALTER TABLE subscriptions ADD COLUMN next_product BIGINT;
        ALTER TABLE subscriptions ADD COLUMN next_country TEXT COLLATE "C";
        """),
    Migration(
      261, name: "prices of which subscribers were told or asked",
      sql: """
        CREATE TABLE subscription_prices(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL, group_id TEXT NOT NULL,
          product_id TEXT NOT NULL, old_amount BIGINT NOT NULL, new_amount BIGINT NOT NULL, currency TEXT NOT NULL,
          needs_consent BIGINT NOT NULL, asked_at BIGINT NOT NULL, applies_at BIGINT NOT NULL, answer TEXT,
          answered_at BIGINT) WITHOUT ROWID;
        CREATE INDEX subscription_prices_by_account ON subscription_prices(account_id, app_id, group_id);
        """,
      postgres: """
        CREATE TABLE subscription_prices(
          id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          group_id TEXT COLLATE "C" NOT NULL, product_id TEXT COLLATE "C" NOT NULL, old_amount BIGINT NOT NULL,
          new_amount BIGINT NOT NULL, currency TEXT COLLATE "C" NOT NULL, needs_consent BIGINT NOT NULL,
          asked_at BIGINT NOT NULL, applies_at BIGINT NOT NULL, answer TEXT COLLATE "C", answered_at BIGINT);
        CREATE INDEX subscription_prices_by_account ON subscription_prices(account_id, app_id, group_id);
        """),
    Migration(
      281, name: "what is known of methods that are kept for a subscription alone",
      sql: """
        ALTER TABLE payments ADD COLUMN kept_brand TEXT;
        ALTER TABLE payments ADD COLUMN kept_last_four TEXT;
        ALTER TABLE payments ADD COLUMN kept_label TEXT;
        ALTER TABLE payments ADD COLUMN kept_expires TEXT;
        """,
      postgres: """
        ALTER TABLE payments ADD COLUMN kept_brand TEXT COLLATE "C";
        ALTER TABLE payments ADD COLUMN kept_last_four TEXT COLLATE "C";
        ALTER TABLE payments ADD COLUMN kept_label TEXT COLLATE "C";
        ALTER TABLE payments ADD COLUMN kept_expires TEXT COLLATE "C";
        """),
    // A subscription's method is the card of its unpaid renewal's last payment, else the card that was kept last, else
    // the account's first saved one. A kept card has the id of its first payment whose id is not that of a saved one.
    Migration(
      323, name: "each subscription has one payment method",
      sql: """
        ALTER TABLE payment_methods ADD COLUMN is_saved BIGINT NOT NULL DEFAULT 1;
        ALTER TABLE payment_methods ADD COLUMN unused_since BIGINT;
        ALTER TABLE subscriptions ADD COLUMN method_id TEXT;
        INSERT INTO payment_methods(
          id, account_id, provider, reference, brand, last_four, label, expires, created_at, is_saved)
          SELECT min(p.id), o.account_id, p.provider, p.kept_method, coalesce(max(p.kept_brand), ''),
            max(p.kept_last_four), max(p.kept_label), max(p.kept_expires), min(p.created_at), 0
          FROM payments p JOIN orders o ON o.id = p.order_id JOIN accounts a ON a.id = o.account_id
          WHERE p.kept_method IS NOT NULL AND a.removed_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM payment_methods m WHERE m.id = p.id
              OR m.account_id = o.account_id AND m.provider = p.provider AND m.reference = p.kept_method)
          GROUP BY o.account_id, p.provider, p.kept_method;
        UPDATE subscriptions SET method_id = coalesce(
          (SELECT m.id FROM orders o JOIN payments p ON p.id = o.payment_id
            JOIN payment_methods m ON m.account_id = o.account_id AND m.provider = p.provider AND m.reference = p.method
            WHERE o.id = subscriptions.renewal_order_id AND p.is_saved = 1 LIMIT 1),
          (SELECT m.id FROM orders o JOIN payments p ON p.id = o.payment_id
            JOIN payment_methods m ON m.account_id = o.account_id AND m.provider = p.provider
              AND (m.reference = p.kept_method OR m.id = p.id OR p.is_saved = 1 AND m.reference = p.method)
            WHERE o.id = subscriptions.last_order_id
            ORDER BY CASE WHEN m.reference = p.kept_method THEN 0 ELSE 1 END, m.is_saved DESC, m.id LIMIT 1),
          (SELECT m.id FROM payment_methods m WHERE m.account_id = subscriptions.account_id AND m.is_saved = 1
            ORDER BY m.created_at DESC, m.id DESC LIMIT 1))
          WHERE json_extract(machine, '$.stage.never') IS NULL AND json_extract(machine, '$.stage.expired') IS NULL
            AND json_extract(machine, '$.stage.revoked') IS NULL;
        CREATE INDEX subscriptions_by_method ON subscriptions(method_id) WHERE method_id IS NOT NULL;
        CREATE INDEX payment_methods_unsaved ON payment_methods(unused_since, id) WHERE is_saved = 0;
        DROP INDEX payments_kept;
        ALTER TABLE payments DROP COLUMN kept_method;
        ALTER TABLE payments DROP COLUMN kept_brand;
        ALTER TABLE payments DROP COLUMN kept_last_four;
        ALTER TABLE payments DROP COLUMN kept_label;
        ALTER TABLE payments DROP COLUMN kept_expires;
        """,
      postgres: """
        ALTER TABLE payment_methods ADD COLUMN is_saved BIGINT NOT NULL DEFAULT 1;
        ALTER TABLE payment_methods ADD COLUMN unused_since BIGINT;
        ALTER TABLE subscriptions ADD COLUMN method_id TEXT COLLATE "C";
        INSERT INTO payment_methods(
          id, account_id, provider, reference, brand, last_four, label, expires, created_at, is_saved)
          SELECT min(p.id), o.account_id, p.provider, p.kept_method, coalesce(max(p.kept_brand), ''),
            max(p.kept_last_four), max(p.kept_label), max(p.kept_expires), min(p.created_at), 0
          FROM payments p JOIN orders o ON o.id = p.order_id JOIN accounts a ON a.id = o.account_id
          WHERE p.kept_method IS NOT NULL AND a.removed_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM payment_methods m WHERE m.id = p.id
              OR m.account_id = o.account_id AND m.provider = p.provider AND m.reference = p.kept_method)
          GROUP BY o.account_id, p.provider, p.kept_method;
        UPDATE subscriptions SET method_id = coalesce(
          (SELECT m.id FROM orders o JOIN payments p ON p.id = o.payment_id
            JOIN payment_methods m ON m.account_id = o.account_id AND m.provider = p.provider AND m.reference = p.method
            WHERE o.id = subscriptions.renewal_order_id AND p.is_saved = 1 LIMIT 1),
          (SELECT m.id FROM orders o JOIN payments p ON p.id = o.payment_id
            JOIN payment_methods m ON m.account_id = o.account_id AND m.provider = p.provider
              AND (m.reference = p.kept_method OR m.id = p.id OR p.is_saved = 1 AND m.reference = p.method)
            WHERE o.id = subscriptions.last_order_id
            ORDER BY CASE WHEN m.reference = p.kept_method THEN 0 ELSE 1 END, m.is_saved DESC, m.id LIMIT 1),
          (SELECT m.id FROM payment_methods m WHERE m.account_id = subscriptions.account_id AND m.is_saved = 1
            ORDER BY m.created_at DESC, m.id DESC LIMIT 1))
          WHERE (machine::jsonb #> '{stage,never}') IS NULL AND (machine::jsonb #> '{stage,expired}') IS NULL
            AND (machine::jsonb #> '{stage,revoked}') IS NULL;
        CREATE INDEX subscriptions_by_method ON subscriptions(method_id) WHERE method_id IS NOT NULL;
        CREATE INDEX payment_methods_unsaved ON payment_methods(unused_since, id) WHERE is_saved = 0;
        DROP INDEX payments_kept;
        ALTER TABLE payments DROP COLUMN kept_method;
        ALTER TABLE payments DROP COLUMN kept_brand;
        ALTER TABLE payments DROP COLUMN kept_last_four;
        ALTER TABLE payments DROP COLUMN kept_label;
        ALTER TABLE payments DROP COLUMN kept_expires;
        """),
    // The consent of a subscription has the id of its last order. A price that was announced or accepted counts as
    // agreed.
    Migration(
      325, name: "consents of subscriptions",
      sql: """
        CREATE TABLE subscription_consents(
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL,
          group_id TEXT NOT NULL, product_id TEXT NOT NULL, ordered_product BIGINT NOT NULL,
          country TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL,
          period TEXT NOT NULL, offer_amount BIGINT, method_id TEXT, given_at BIGINT NOT NULL,
          way TEXT NOT NULL, given_by TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX subscription_consents_by_account ON subscription_consents(account_id, app_id, group_id);
        INSERT INTO subscription_consents(
          id, account_id, app_id, group_id, product_id, ordered_product, country, amount, currency, period,
          offer_amount, method_id, given_at, way, given_by)
          SELECT s.last_order_id, s.account_id, s.app_id, s.group_id, json_extract(s.plan, '$.productID'),
            coalesce(s.next_product, l.ordered_product), coalesce(s.next_country, l.country),
            CASE WHEN s.told_amount > json_extract(s.plan, '$.price.amount') THEN s.told_amount
              ELSE json_extract(s.plan, '$.price.amount') END,
            json_extract(s.plan, '$.price.currency'), json_extract(s.plan, '$.period'), s.offer_amount, s.method_id,
            coalesce(f.paid_at, f.created_at), 'earlier',
            CASE WHEN EXISTS (SELECT 1 FROM payment_methods m WHERE m.id = s.method_id AND m.is_saved = 1)
              THEN 'account' ELSE 'unknown' END
          FROM (
            SELECT account_id, app_id, group_id, first_order_id, last_order_id, next_product, next_country, method_id,
              coalesce(json_extract(machine, '$.nextPlan'), json_extract(machine, '$.period.plan')) AS plan,
              CASE WHEN json_extract(machine, '$.priceChange.awaitsConsent') = 0
                AND json_extract(machine, '$.declinedPrice') = 0 AND json_extract(machine, '$.nextPlan') IS NULL
                THEN json_extract(machine, '$.priceChange.price.amount') END AS told_amount,
              json_extract(machine, '$.period.offer.price.amount') AS offer_amount
            FROM subscriptions
            WHERE json_extract(machine, '$.stage.never') IS NULL
                AND json_extract(machine, '$.stage.expired') IS NULL
                AND json_extract(machine, '$.stage.revoked') IS NULL) s
          JOIN orders f ON f.id = s.first_order_id JOIN orders l ON l.id = s.last_order_id;
        ALTER TABLE subscriptions ADD COLUMN consent_id TEXT;
        UPDATE subscriptions SET consent_id = last_order_id
          WHERE EXISTS (SELECT 1 FROM subscription_consents c WHERE c.id = subscriptions.last_order_id);
        ALTER TABLE subscriptions DROP COLUMN next_product;
        ALTER TABLE subscriptions DROP COLUMN next_country;
        ALTER TABLE payments ADD COLUMN renewal_agreed_by TEXT;
        UPDATE payments
          SET renewal_agreed_by = CASE WHEN remembers = 1 OR is_saved = 1 THEN 'account' ELSE 'unknown' END
          WHERE keeps = 1 AND (is_saved = 0
            OR EXISTS (SELECT 1 FROM orders o WHERE o.id = payments.order_id AND o.reason <> 'RENEWAL'));
        ALTER TABLE payments DROP COLUMN keeps;
        """,
      postgres: """
        CREATE TABLE subscription_consents(
          id TEXT COLLATE "C" PRIMARY KEY, account_id TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          group_id TEXT COLLATE "C" NOT NULL, product_id TEXT COLLATE "C" NOT NULL, ordered_product BIGINT NOT NULL,
          country TEXT COLLATE "C" NOT NULL, amount BIGINT NOT NULL, currency TEXT COLLATE "C" NOT NULL,
          period TEXT COLLATE "C" NOT NULL, offer_amount BIGINT, method_id TEXT COLLATE "C", given_at BIGINT NOT NULL,
          way TEXT COLLATE "C" NOT NULL, given_by TEXT COLLATE "C" NOT NULL);
        CREATE INDEX subscription_consents_by_account ON subscription_consents(account_id, app_id, group_id);
        INSERT INTO subscription_consents(
          id, account_id, app_id, group_id, product_id, ordered_product, country, amount, currency, period,
          offer_amount, method_id, given_at, way, given_by)
          SELECT s.last_order_id, s.account_id, s.app_id, s.group_id, s.plan ->> 'productID',
            coalesce(s.next_product, l.ordered_product), coalesce(s.next_country, l.country),
            CASE WHEN s.told_amount > (s.plan #>> '{price,amount}')::bigint THEN s.told_amount
              ELSE (s.plan #>> '{price,amount}')::bigint END,
            s.plan #>> '{price,currency}', s.plan ->> 'period', s.offer_amount, s.method_id,
            coalesce(f.paid_at, f.created_at), 'earlier',
            CASE WHEN EXISTS (SELECT 1 FROM payment_methods m WHERE m.id = s.method_id AND m.is_saved = 1)
              THEN 'account' ELSE 'unknown' END
          FROM (
            SELECT account_id, app_id, group_id, first_order_id, last_order_id, next_product, next_country, method_id,
              coalesce(machine::jsonb -> 'nextPlan', machine::jsonb #> '{period,plan}') AS plan,
              CASE WHEN machine::jsonb #>> '{priceChange,awaitsConsent}' = 'false'
                AND machine::jsonb ->> 'declinedPrice' = 'false' AND machine::jsonb -> 'nextPlan' IS NULL
                THEN (machine::jsonb #>> '{priceChange,price,amount}')::bigint END AS told_amount,
              (machine::jsonb #>> '{period,offer,price,amount}')::bigint AS offer_amount
            FROM subscriptions
            WHERE (machine::jsonb #> '{stage,never}') IS NULL AND (machine::jsonb #> '{stage,expired}') IS NULL
                AND (machine::jsonb #> '{stage,revoked}') IS NULL) s
          JOIN orders f ON f.id = s.first_order_id JOIN orders l ON l.id = s.last_order_id;
        ALTER TABLE subscriptions ADD COLUMN consent_id TEXT COLLATE "C";
        UPDATE subscriptions SET consent_id = last_order_id
          WHERE EXISTS (SELECT 1 FROM subscription_consents c WHERE c.id = subscriptions.last_order_id);
        ALTER TABLE subscriptions DROP COLUMN next_product;
        ALTER TABLE subscriptions DROP COLUMN next_country;
        ALTER TABLE payments ADD COLUMN renewal_agreed_by TEXT COLLATE "C";
        UPDATE payments
          SET renewal_agreed_by = CASE WHEN remembers = 1 OR is_saved = 1 THEN 'account' ELSE 'unknown' END
          WHERE keeps = 1 AND (is_saved = 0
            OR EXISTS (SELECT 1 FROM orders o WHERE o.id = payments.order_id AND o.reason <> 'RENEWAL'));
        ALTER TABLE payments DROP COLUMN keeps;
        """),
  ]
}
