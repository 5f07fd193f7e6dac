import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// What becomes of the subscriptions of ``SubscriptionFixture``, on 15 March 2026, 12:00.
@Suite("Subscriptions of a database of schema 321", .timeLimit(.minutes(5)))
struct SubscriptionUpgradeTests {
  /// Each kind: its stage, whether it renews, the end of its paid period, the next charge, and its last order.
  static let states = """
    accepted             active            on  2026-04-01T00:00 1599 EUR sandbox:succeeds       paid
    asked                active            on  2026-04-01T00:00 1599 EUR sandbox:succeeds       paid
    card-removed         active            on  2026-04-01T00:00 999 EUR  -                      paid
    charge-open          active            on  2026-03-15T12:30 999 EUR  sandbox:never_settles  paid
    chosen-plan          active            on  2026-04-01T00:00 499 EUR  sandbox:succeeds       paid
    declined             active            off 2026-04-01T00:00 1599 EUR sandbox:succeeds       paid
    deferred             active            on  2026-04-10T00:00 1099 EUR sandbox:succeeds       paid
    expired              expired cancelled off 2026-02-20T00:00 -        -                      paid
    grace                grace             on  2026-03-10T00:00 999 EUR  sandbox:declined       paid
    grace-chosen-plan    grace             on  2026-03-10T00:00 499 EUR  sandbox:declined       paid
    grace-disputed       grace             on  2026-03-10T00:00 999 EUR  sandbox:succeeds       paid
    grace-no-card        grace             on  2026-03-10T00:00 999 EUR  -                      paid
    grace-other-card     grace             on  2026-03-10T00:00 999 EUR  sandbox:succeeds       paid
    grace-second-step    grace             on  2026-03-10T00:00 999 EUR  sandbox:second_step    paid
    kept-card            active            on  2026-04-01T00:00 999 EUR  sandbox:succeeds       paid
    moved                active            on  2026-04-01T00:00 999 EUR  sandbox:succeeds       paid
    moved-chosen-plan    active            on  2026-04-01T00:00 549 EUR  sandbox:succeeds       paid
    paid-ahead           active            on  2026-07-01T00:00 999 EUR  sandbox:succeeds       paid
    paid-by-stranger     active            on  2026-04-01T00:00 999 EUR  sandbox:succeeds       paid
    paid-in-the-hour     active            on  2026-04-15T12:30 999 EUR  sandbox:succeeds       paid
    paused               paused 2026-05-10 on  2026-02-10T00:00 999 EUR  sandbox:succeeds       paid
    pay-as-you-go        active            on  2026-04-01T00:00 299 EUR  sandbox:succeeds       paid
    planned-pause        active            on  2026-04-01T00:00 999 EUR  sandbox:succeeds       paid
    refund-failed        active            off 2026-04-01T00:00 999 EUR  -                      paid
    renewal-off          active            off 2026-04-01T00:00 999 EUR  sandbox:succeeds       paid
    retry-kept-declined  retry             on  2026-02-20T00:00 999 EUR  sandbox:declined       paid
    revoked              revoked           off 2026-04-01T00:00 -        -                      paid, revoked
    saved-card           active            on  2026-04-01T00:00 999 EUR  sandbox:succeeds       paid
    saved-visa-not-first active            on  2026-04-01T00:00 999 EUR  sandbox:succeeds       paid
    told                 active            on  2026-04-01T00:00 1099 EUR sandbox:succeeds       paid
    trial                active            on  2026-03-17T00:00 499 EUR  sandbox:succeeds       paid
    two-apps             active            on  2026-04-01T00:00 999 EUR  sandbox:succeeds       paid
    two-apps-other       active            on  2026-04-02T00:00 999 EUR  sandbox:succeeds       paid
    """

  /// The consents of the subscriptions that are not over: plan, price, region, method, giver.
  static let consents = """
    accepted             accepted 1599 EUR             NL succeeds      account
    asked                asked    999 EUR              NL succeeds      account
    card-removed         basic    999 EUR              NL -             unknown
    charge-open          basic    999 EUR              NL never_settles account
    chosen-plan          small    499 EUR              NL succeeds      account
    declined             declined 999 EUR              NL succeeds      account
    deferred             deferred 1099 EUR             NL succeeds      account
    grace                basic    999 EUR              NL declined      account
    grace-chosen-plan    small    499 EUR              NL declined      account
    grace-disputed       basic    999 EUR              NL succeeds      account
    grace-no-card        basic    999 EUR              NL -             unknown
    grace-other-card     basic    999 EUR              NL succeeds      account
    grace-second-step    basic    999 EUR              NL second_step   account
    kept-card            basic    999 EUR              NL succeeds      unknown
    moved                basic    999 EUR              NL succeeds      account
    moved-chosen-plan    small    549 EUR              DE succeeds      account
    paid-ahead           basic    999 EUR, offer 299   NL succeeds      account
    paid-by-stranger     basic    999 EUR              NL succeeds      unknown
    paid-in-the-hour     basic    999 EUR              NL succeeds      account
    paused               basic    999 EUR              NL succeeds      account
    pay-as-you-go        steps    999 EUR, offer 299   NL succeeds      account
    planned-pause        basic    999 EUR              NL succeeds      account
    refund-failed        basic    999 EUR              NL -             unknown
    renewal-off          basic    999 EUR              NL succeeds      account
    retry-kept-declined  basic    999 EUR              NL declined      account
    saved-card           basic    999 EUR              NL succeeds      account
    saved-visa-not-first basic    999 EUR              NL succeeds      account
    told                 told     1099 EUR             NL succeeds      account
    trial                small    499 EUR, offer 0     NL succeeds      account
    two-apps             basic    999 EUR              NL succeeds      unknown
    two-apps-other       basic    999 EUR              NL succeeds      unknown
    """

  /// The first payment of each kind in the 120 days from then on, with the day, the plan and what became of it.
  static let charges = """
    accepted             2026-03-31T23:00 accepted 1599 EUR sandbox:succeeds       succeeded
    asked                -
    card-removed         -
    charge-open          -
    chosen-plan          2026-03-31T23:00 small    499 EUR  sandbox:succeeds       succeeded
    declined             -
    deferred             2026-04-09T23:00 deferred 999 EUR  sandbox:succeeds       succeeded
    expired              -
    grace                2026-03-15T23:00 basic    999 EUR  sandbox:declined       declined
    grace-chosen-plan    2026-03-15T23:00 small    499 EUR  sandbox:declined       declined
    grace-disputed       -
    grace-no-card        -
    grace-other-card     2026-03-15T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    grace-second-step    -
    kept-card            2026-03-31T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    moved                2026-03-31T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    moved-chosen-plan    2026-03-31T23:00 small    549 EUR  sandbox:succeeds       succeeded
    paid-ahead           2026-06-30T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    paid-by-stranger     2026-03-31T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    paid-in-the-hour     2026-04-15T11:30 basic    999 EUR  sandbox:succeeds       succeeded
    paused               2026-05-10T00:00 basic    999 EUR  sandbox:succeeds       succeeded
    pay-as-you-go        2026-03-31T23:00 steps    299 EUR  sandbox:succeeds       succeeded
    planned-pause        2026-05-01T00:00 basic    999 EUR  sandbox:succeeds       succeeded
    refund-failed        -
    renewal-off          -
    retry-kept-declined  2026-03-15T23:00 basic    999 EUR  sandbox:declined       declined
    revoked              -
    saved-card           2026-03-31T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    saved-visa-not-first 2026-03-31T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    told                 2026-03-31T23:00 told     1099 EUR sandbox:succeeds       succeeded
    trial                2026-03-16T23:00 small    499 EUR  sandbox:succeeds       succeeded
    two-apps             2026-03-31T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    two-apps-other       2026-04-01T23:00 basic    999 EUR  sandbox:succeeds       succeeded
    """

  @Test("STO-8: the way back from an upgrade is the backup of before, with every row and without charges")
  func wayBack() async throws {
    let folder = try TemporaryFolder()
    try await SubscriptionFixture.write(to: .sqlite, in: folder)
    let location = DatabaseLocation.sqlite(path: folder.file("store.db"))
    /// The rows of the file, which the earlier program reads, but for the settings.
    func rows() async throws -> [String] {
      let database = try await TestEngine.sqlite.open(
        in: folder, OlderStore.migrations(upTo: SubscriptionFixture.schema))
      let text = try await SubscriptionFixture.text(of: database)
      let suspended = try await database.read { try ChargeSuspension.isActive(in: $0) }
      await database.close()
      return text.components(separatedBy: ";\n").filter { !$0.contains("INSERT INTO settings(") } + ["\(suspended)"]
    }
    let before = try await rows()
    _ = try location.backUp(to: folder.file("before.sqlite"), overwrites: false)
    let upgraded = try location.open(now: Date())
    #expect(upgraded.schemaChange?.from == SubscriptionFixture.schema)
    await upgraded.close()
    let outcome = try location.restore(from: folder.file("before.sqlite"), now: Date())
    #expect(outcome.isOlder)
    let back = try await rows()
    #expect(back.dropLast() == before.dropLast() && back.last == "true" && before.last == "false")
  }

  @Test(
    "STO-8, SUB-19: subscriptions of schema 321 keep stage, date, price and card after the migration, as agreed",
    arguments: TestEngine.allCases)
  func forward(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    try await SubscriptionFixture.write(to: engine, in: folder)
    let database = try await engine.open(in: folder, Migration.all, now: FixtureShop.end)
    let found = try await database.read { connection in
      try Self.kinds(in: connection).map { try Self.state($0.name, $0.key, in: connection) }
    }
    #expect(found == Self.states.split(separator: "\n").map(String.init))
    let consents = try await database.read { connection in
      try Self.kinds(in: connection).compactMap { try Self.consent($0.name, $0.key, in: connection) }
    }
    #expect(consents == Self.consents.split(separator: "\n").map(String.init))
    let faults = try await database.read { try Reconciliation($0).faults() }
    // The sandbox itself knows of no dispute.
    #expect(faults.map(\.rule) == [.provider])
    await database.close()
  }

  @Test(
    "STO-8: the first charges after the migration have the recorded dates, plans, prices and cards",
    arguments: TestEngine.allCases)
  func charged(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    try await SubscriptionFixture.write(to: engine, in: folder)
    let database = try await engine.open(in: folder, Migration.all, now: FixtureShop.end)
    let store = try await TestStore(
      clock: ManualClock(FixtureShop.end), seed: 2, sender: Inbox(), database: database,
      configure: FixtureShop.configure)
    try await store.pass(to: FixtureShop.end + 120 * 86_400)
    let found = try await database.read { connection in
      try Self.kinds(in: connection).map { try Self.charge($0.name, $0.key, store.core.orders.records, in: connection) }
    }
    #expect(found == Self.charges.split(separator: "\n").map(String.init))
    let faults = try await database.read { try Reconciliation($0).faults() }
    // The sandbox itself knows of no dispute.
    #expect(faults.map(\.rule) == [.provider])
    await database.close()
  }

  @Test(
    "SUB-8: announced prices of schema 321 are prices for present subscribers afterwards",
    arguments: TestEngine.allCases)
  func prices(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    try await SubscriptionFixture.write(to: engine, in: folder)
    let database = try await engine.open(in: folder, Migration.all, now: FixtureShop.end)
    let found = try await database.read { connection in
      try connection.rows("SELECT product_id, amount, currency, country FROM renewal_prices ORDER BY product_id").map {
        "\(try $0.text("product_id")) \(try $0.integer("amount")) \(try $0.text("currency")) \(try $0.text("country"))"
      }
    }
    #expect(found == ["asked 1599 EUR NL", "deferred 1099 EUR NL", "told 1099 EUR NL"])
    let deferred = try await database.read {
      try RenewalPriceRecords.newest(
        of: "deferred", app: TestShop.app.id, country: .netherlands, validAt: FixtureShop.end, in: $0)
    }
    #expect(deferred?.terms.rules == .standard && deferred?.terms.noticeDays == 1)
    await database.close()
  }

  /// Whether the data is asked for, and this is a program of its schema: no later one can write it.
  private static let isWritten =
    ProcessInfo.processInfo.environment["ONSIDE_WRITE_FIXTURE"] != nil
    && Migration.all.map(\.number).max() == SubscriptionFixture.schema

  @Test("the generator makes every kind of the fixture; with ONSIDE_WRITE_FIXTURE=1 a program of its schema writes it")
  func generated() async throws {
    let folder = try TemporaryFolder()
    let database = try await TestEngine.sqlite.open(in: folder, now: FixtureShop.start)
    try await FixtureShop.fill(database, in: folder)
    let names = try await database.read { connection in try Self.kinds(in: connection).map(\.name) }
    #expect(names == Self.states.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) })
    let text = try await SubscriptionFixture.text(of: database)
    #expect(text.utf8.count < 400_000)
    if Self.isWritten {
      try text.write(to: Repository.root.appending(path: SubscriptionFixture.path), atomically: true, encoding: .utf8)
    }
    await database.close()
  }
}

extension SubscriptionUpgradeTests {
  /// What a subscription is charged next, as its page shows it and its renewal takes it; nil when it is over.
  ///
  /// Where the rules change, this is the place to adapt.
  private static func nextCharge(
    of known: StoredSubscription, in connection: any SQLConnection
  ) throws -> (price: Money?, method: (provider: String, reference: String)?)? {
    guard known.machine.isSubscribed else { return nil }
    let method = try known.method.flatMap {
      try PaymentMethodRecords.method($0, of: known.key.account, in: connection)
    }
    return (known.machine.nextPrice, method.map { ($0.provider, $0.details.reference) })
  }

  /// The kinds by the tokens of their orders, in the order of their names.
  private static func kinds(in connection: any SQLConnection) throws -> [(name: String, key: SubscriptionKey)] {
    try connection.rows(
      """
      SELECT DISTINCT o.app_account_token AS name, s.account_id, s.app_id, s.group_id FROM subscriptions s
      JOIN orders o ON o.account_id = s.account_id AND o.app_id = s.app_id WHERE o.app_account_token IS NOT NULL
      ORDER BY name
      """
    ).map { (try $0.text("name"), try SubscriptionKey($0)) }
  }

  private static func state(
    _ name: String, _ key: SubscriptionKey, in connection: any SQLConnection
  ) throws -> String {
    let known = try #require(try SubscriptionRecords.subscription(key, in: connection))
    let next = try nextCharge(of: known, in: connection)
    let last = try #require(
      try connection.row(
        "SELECT state, revoked_at FROM orders WHERE id = $1", [.text(known.lastOrder.lowercase)]))
    let isRevoked = try last.optionalDate("revoked_at") != nil
    return line([
      (name, 20), (text(known.machine.stage), 17), (known.machine.autoRenews ? "on" : "off", 3),
      (known.machine.period.map { text($0.end) } ?? "-", 16), (next?.price?.plainText ?? "-", 8),
      (next?.method.map { "\($0.provider):\($0.reference)" } ?? "-", 22),
      (try last.text("state") + (isRevoked ? ", revoked" : ""), 0),
    ])
  }

  /// The consent of a subscription; nil for one that is over.
  private static func consent(
    _ name: String, _ key: SubscriptionKey, in connection: any SQLConnection
  ) throws -> String? {
    let known = try #require(try SubscriptionRecords.subscription(key, in: connection))
    guard let consent = try SubscriptionConsentRecords.present(of: known, in: connection) else { return nil }
    let method = try consent.method.flatMap { try PaymentMethodRecords.method($0, of: key.account, in: connection) }
    let offer = consent.offerPrice.map { ", offer \($0.minorUnits)" } ?? ""
    return line([
      (name, 20), (consent.product, 8), (consent.price.plainText + offer, 20), (consent.country.alpha2, 2),
      (method?.details.reference ?? "-", 13), (consent.giver.rawValue, 0),
    ])
  }

  private static func charge(
    _ name: String, _ key: SubscriptionKey, _ orders: OrderRecords, in connection: any SQLConnection
  ) throws -> String {
    let row = try connection.row(
      """
      SELECT p.*, o.id AS order_id FROM payments p JOIN orders o ON o.id = p.order_id
      WHERE o.account_id = $1 AND o.app_id = $2 AND p.created_at > $3 ORDER BY p.created_at, p.id LIMIT 1
      """, [.text(key.account), .text(key.app), .date(FixtureShop.end)])
    guard let row, let id = UUID(uuidString: try row.text("order_id")),
      let order = try orders.order(id, in: connection)
    else { return line([(name, 20), ("-", 0)]) }
    return line([
      (name, 20), (text(try row.date("created_at")), 16), (order.product.message.id, 8),
      (order.price.plainText, 8), ("\(try row.text("provider")):\(try row.text("method"))", 22),
      (try row.text("state"), 0),
    ])
  }

  private static func text(_ stage: SubscriptionMachine.Stage) -> String {
    switch stage {
    case .paused(let until): "paused \(until.map { String(text($0).prefix(10)) } ?? "")"
    case .expired(let reason): "expired \(reason.rawValue.lowercased())"
    case .revoked: "revoked"
    case .never, .active, .due, .grace, .retry: "\(stage)"
    }
  }

  private static func text(_ date: Date) -> String { String(date.ISO8601Format().prefix(16)) }

  private static func line(_ columns: [(text: String, width: Int)]) -> String {
    columns.map { $0.text.padding(toLength: max($0.width, $0.text.count), withPad: " ", startingAt: 0) }
      .joined(separator: " ")
  }
}
