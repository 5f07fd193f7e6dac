import Crypto
import Foundation
import Glibc
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StoreBase

/// A store with subscriptions that were written by SQL, one for each of as many accounts. Their cards are kept, and
/// their next charge is far away until it is made due.
struct SubscribedStore: Sendable {
  private static let group = "bench"
  private static let period = "P30D"
  /// A number that no product's row has by itself.
  private static let product = 1

  let server: ServerProcess
  private let place: Workplace
  /// When the charges are due that are not wanted yet.
  private let later: Date

  /// Makes the database, and starts a store on it.
  static func open(_ place: Workplace, subscriptions: Int) async throws -> SubscribedStore {
    try await ExampleShop.open(place)
    let template = try await GrownStore.buyOne(place)
    let now = Platform.now()
    let later = now.addingTimeInterval(365 * 86_400)
    try await StoreDatabase.withCore(place) { core in
      let database = core.dependencies.database
      try await subscribe(template, in: database)
      let copies = CopiedPurchases(
        count: subscriptions, accounts: subscriptions, mark: 1, isPostgres: place.isOnPostgres)
      let accounts = try await copies.write(to: database, like: template)
      let machine = try machine(startedAt: now.addingTimeInterval(-30 * 86_400 + 1800))
      for piece in CopiedPurchases.pieces(of: accounts.count) {
        try await write(machine, of: accounts[piece], due: later, to: database)
      }
      try await CopiedPurchases.analyze(["accounts", "subscriptions", "subscription_periods"], in: database)
      if place.isOnPostgres { try await waitForVacuum(in: database) }
    }
    // Flushes the generated rows: the first purchase would wait for them.
    Glibc.sync()
    return SubscribedStore(server: try await ServerProcess.store(place), place: place, later: later)
  }

  /// Waits until PostgreSQL has cleaned up after so many new rows: no store meets them all at once.
  private static func waitForVacuum(in database: any Database) async throws {
    var quiet = 0
    for _ in 0..<600 where quiet < 15 {
      try await Platform.wait(1)
      let running = try await database.read {
        try $0.row("SELECT count(*) AS n FROM pg_stat_progress_vacuum", [])?.integer("n") ?? 0
      }
      quiet = running == 0 ? quiet + 1 : 0
    }
    guard quiet == 15 else { throw BenchFailure("expected the vacuum to end within ten minutes") }
  }

  /// Makes the charges of so many more subscriptions due, and waits until they are made; returns the seconds.
  func renew(_ count: Int) async throws -> Double {
    try await StoreDatabase.withCore(place) { core in
      let database = core.dependencies.database
      let start = Platform.now()
      try await makeDue(count, at: start, in: database)
      while try await waiting(in: database) > 0 {
        try await Platform.wait(0.2)
        guard Platform.now().timeIntervalSince(start) < 600 else {
          throw BenchFailure("expected \(count) renewals within ten minutes")
        }
      }
      return Platform.now().timeIntervalSince(start)
    }
  }

  /// How many renewals are paid.
  func renewals() async throws -> Int {
    try await StoreDatabase.withCore(place) { core in
      try await count(
        "SELECT count(*) AS n FROM orders WHERE reason = 'RENEWAL' AND state = 'paid'", [],
        in: core.dependencies.database)
    }
  }

  private func makeDue(_ count: Int, at now: Date, in database: any Database) async throws {
    let (now, later) = (Self.milliseconds(now), Self.milliseconds(later))
    let changed = try await database.write { connection in
      try connection.execute(
        """
        UPDATE subscriptions SET wakes_at = $1 WHERE account_id IN (
          SELECT account_id FROM subscriptions WHERE wakes_at = $2 ORDER BY account_id LIMIT \(count))
        """, [now, later])
    }
    guard changed == count else { throw BenchFailure("expected \(count) subscriptions to make due, got \(changed)") }
  }

  /// How many charges are due and have not been made.
  private func waiting(in database: any Database) async throws -> Int {
    try await count(
      """
      SELECT (SELECT count(*) FROM subscriptions WHERE wakes_at IS NOT NULL AND wakes_at <= $1)
        + (SELECT count(*) FROM outbox WHERE kind = 'payment.renew') AS n
      """, [Self.milliseconds(Platform.now())], in: database)
  }

  private func count(_ sql: String, _ arguments: [SQLValue], in database: any Database) async throws -> Int {
    Int(try await database.read { try $0.row(sql, arguments)?.integer("n") ?? 0 })
  }

  // MARK: Rows

  /// Changes an order into the first one of a subscription, with a kept card.
  private static func subscribe(_ order: String, in database: any Database) async throws {
    let kind = #""kind":"AUTO_RENEWABLE_SUBSCRIPTION","subscription_group_id":"\#(group)","#
    let subscription = kind + #""subscription_period":"\#(period)""#
    try await database.write { connection in
      try connection.execute(
        """
        INSERT INTO order_products(id, message)
        SELECT \(product), replace(p.message, '"kind":"CONSUMABLE"', $1)
        FROM orders o JOIN order_products p ON p.id = o.ordered_product WHERE o.id = $2
        """, [.text(subscription), .text(order)])
      try connection.execute("UPDATE orders SET ordered_product = \(product) WHERE id = $1", [.text(order)])
      try connection.execute("UPDATE payments SET renewal_agreed_by = 'account' WHERE order_id = $1", [.text(order)])
    }
  }

  /// A subscription whose next period is to be charged.
  private static func machine(startedAt start: Date) throws -> String {
    guard let period = Period(iso8601: period), let currency = Currency(code: ExampleShop.price.currency) else {
      throw BenchFailure("expected a period and a currency")
    }
    let price = Money(minorUnits: Int64(ExampleShop.price.amount), currency: currency)
    var machine = SubscriptionMachine(terms: SubscriptionTerms(leadTime: 3600))
    _ = machine.handle(
      .purchased(SubscriptionPlan(productID: ExampleShop.products[0], period: period, price: price)), at: start)
    return String(decoding: try JSONEncoder().encode(machine), as: UTF8.self)
  }

  private static func write(
    _ machine: String, of accounts: ArraySlice<String>, due: Date, to database: any Database
  ) async throws {
    let due = milliseconds(due)
    try await database.write { connection in
      try connection.execute(
        """
        INSERT INTO payment_methods(id, account_id, provider, reference, brand, created_at, is_saved)
        SELECT id, account_id, 'sandbox', 'succeeds', 'Visa', created_at, 0 FROM orders
        WHERE account_id BETWEEN $1 AND $2
        """, accounts.ends)
      try connection.execute(
        """
        INSERT INTO subscription_consents(
          id, account_id, app_id, group_id, product_id, ordered_product, country, amount, currency, period, method_id,
          given_at, way, given_by)
        SELECT id, account_id, app_id, '\(group)', product_id, ordered_product, country, amount, currency, '\(period)',
          id, created_at, 'payment_page', 'account' FROM orders WHERE account_id BETWEEN $1 AND $2
        """, accounts.ends)
      try connection.execute(
        """
        INSERT INTO subscriptions(
          account_id, app_id, group_id, machine, wakes_at, first_order_id, last_order_id, method_id, consent_id)
        SELECT account_id, app_id, '\(group)', $3, $4, id, id, id, id FROM orders WHERE account_id BETWEEN $1 AND $2
        """, accounts.ends + [.text(machine), due])
      try connection.execute(
        """
        INSERT INTO subscription_periods(order_id, account_id, app_id, group_id, number)
        SELECT last_order_id, account_id, app_id, group_id, 1 FROM subscriptions WHERE account_id BETWEEN $1 AND $2
        """, accounts.ends)
    }
  }

  private static func milliseconds(_ date: Date) -> SQLValue { .integer(Int64(date.timeIntervalSince1970 * 1000)) }
}
