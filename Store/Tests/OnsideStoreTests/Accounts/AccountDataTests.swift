import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
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
@testable import StoreWeb

@Suite("Export and deletion of an account", .timeLimit(.minutes(5)))
struct AccountDataTests {
  private static let number = "+31612345689"
  private static let appToken = "token-of-the-app-for-this-person"

  /// Runs `body` with the browser of a customer who has a purchase, a saved card, an open order and a logged-in app.
  private func customer(
    _ body: @escaping @Sendable (ShopStore, Browser, TokenMessage) async throws -> Void
  ) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      let answer = try await LoginStore.token(
        client, parameters: LoginStore.exchange(try #require(browser.answer["code"])))
      let tokens = try WireCoding.decoder().decode(TokenMessage.self, from: Data(answer.body.readableBytesView))
      let shopper = Shopper(
        store: shop.store, client: client, accountID: shop.store.account(of: tokens).description, country: "NL")
      _ = try await shopper.order("themes", token: Self.appToken)
      try await shopper.buy("coins", token: Self.appToken)
      try await shop.store.save(.succeeds, of: shop.store.account(of: tokens).description)
      _ = try await shop.methodsPage(client, tokens: tokens)
      try await body(shop, browser, tokens)
    }
  }

  /// Logs in once more on `/account/data`, which asks for a recent login.
  private func prove(_ browser: Browser, at shop: ShopStore) async throws {
    shop.store.clock.advance(by: .seconds(3600))
    try await browser.get("/account/data")
    try await browser.submit("/account/data")
    try await browser.submit(shop.login.attempt(browser), with: ["phone": Self.number])
    try await browser.submit("/code", with: ["code": try await shop.login.code(Self.number)])
    #expect(browser.path == "/account/data")
  }

  @Test("Neither is to be had without a proof that is minutes old, and consent to an app is none")
  func proof() async throws {
    try await customer { shop, browser, _ in
      shop.store.clock.advance(by: .seconds(11 * 60))
      try await browser.get(LoginStore.authorize())
      try await browser.submit("/continue")
      try await browser.get("/account/data")
      #expect(browser.html.contains("prove that it’s you"))
      let csrf = browser.page.elements.first { $0["name"] == "csrf" }?["value"] ?? ""
      for path in ["/account/export", "/account/delete"] {
        try await browser.post(path, fields: ["csrf": csrf, "agreed": "yes"])
        #expect(browser.path == "/account/data" && browser.html.contains("prove that it’s you"))
      }
      try await browser.get("/account")
      #expect(browser.html.contains("•••• 89"))
      try await prove(browser, at: shop)
      #expect(browser.html.contains("Download my data"))
    }
  }

  @Test("The export is one JSON file with every row of the account, without what could act as it")
  func export() async throws {
    try await customer { shop, browser, tokens in
      try await prove(browser, at: shop)
      try await browser.submit("/account/export")
      #expect(browser.response?.headers[.contentType] == "application/json")
      #expect(browser.response?.headers[.contentDisposition]?.hasPrefix("attachment") == true)
      #expect(browser.response?.headers[.cacheControl] == "no-store")
      let document = try #require(
        try JSONSerialization.jsonObject(with: Data(browser.html.utf8)) as? [String: Any])
      func rows(_ name: String) -> [[String: Any]] { document[name] as? [[String: Any]] ?? [] }
      #expect(rows("identities").first?["contact"] as? String == Self.number)
      #expect((rows("account").first?["created_at"] as? String)?.hasSuffix("Z") == true)
      #expect(
        rows("orders").count == 2 && rows("orders").allSatisfy { $0["app_account_token"] as? String == Self.appToken })
      #expect(rows("receipts").count == 1 && rows("payments").count == 1 && !rows("ledger").isEmpty)
      #expect(rows("payment_methods").count == 1 && rows("apps").count == 1 && rows("browsers").count == 1)
      #expect(!rows("codes").isEmpty && !rows("logins").isEmpty && rows("consents").count == 1)
      for secret in [tokens.accessToken, tokens.refreshToken, browser.cookies["onside_session"] ?? "-"] {
        #expect(!browser.html.contains(secret) && !browser.html.contains(secret.sha256Base64URL))
      }
      #expect(rows("apps").allSatisfy { $0["secret"] == nil } && rows("browsers").allSatisfy { $0["id"] == nil })
    }
  }

  @Test("Every table that names an account or a number is in the export, and docs/account-data.md describes it")
  func completeness() async throws {
    let store = try await LoginStore()
    let tables = try await store.store.columns()
    let parts = store.store.core.accountExport.parts
    let personal = tables.filter { !$0.value.isDisjoint(with: ["account_id", "phone", "contact"]) }.map(\.key)
    #expect(Set(personal).isSubset(of: parts.map(\.table)), "\(personal)")
    let orders = tables.filter { $0.value.contains("order_id") }.map(\.key)
    #expect(Set(orders).isSubset(of: parts.map(\.table)), "\(orders)")
    let guide = try Repository.text("docs/account-data.md")
    for part in parts {
      #expect(guide.contains("`\(part.name)`"), "\(part.name)")
      #expect(part.secrets.isSubset(of: tables[part.table] ?? []), "\(part.name)")
    }
  }

  @Test("Deletion needs the box to be ticked")
  func unticked() async throws {
    try await customer { shop, browser, tokens in
      try await prove(browser, at: shop)
      try await browser.submit("/account/delete")
      #expect(browser.status == .unprocessableContent && browser.html.contains("Tick the box first."))
      let isRemoved = try await shop.store.core.accounts.account(shop.store.account(of: tokens))?.isRemoved
      #expect(isRemoved == false)
    }
  }

  @Test("After a deletion no table holds the number, what the app called the person, or the account but its mere id")
  func leftovers() async throws {
    try await customer { shop, browser, tokens in
      let account = shop.store.account(of: tokens).description
      let before = try await shop.store.places(of: [account, Self.number, Self.appToken])
      #expect(before.isSuperset(of: ["orders.account_id", "orders.app_account_token", "identities.contact"]))
      try await prove(browser, at: shop)
      try await browser.submit("/account/delete", with: ["agreed": "yes"])
      #expect(browser.html.contains("Your account is deleted"))
      #expect(browser.cookies["onside_session"] == nil)
      // The limits count sent codes by number for a day.
      let after = try await shop.store.places(of: [account, Self.number, Self.appToken])
      #expect(after.subtracting(["accounts.id", "one_time_codes.phone"]) == [])
      shop.store.clock.advance(by: .seconds(25 * 3600))
      try await shop.login.logIn(Browser(browser.client), phone: "+31687654321")
      let places = try await shop.store.places(of: [Self.number])
      #expect(places == [])
    }
  }

  @Test("After a deletion the books balance, paid orders no longer name the account, and the open order is cancelled")
  func books() async throws {
    try await customer { shop, browser, tokens in
      try await prove(browser, at: shop)
      try await browser.submit("/account/delete", with: ["agreed": "yes"])
      let rows = try await shop.store.core.dependencies.database.read { connection in
        try connection.rows("SELECT account_id, state, amount FROM orders ORDER BY created_at, id")
      }
      let states = try Set(rows.map { try $0.text("state") })
      #expect(states == ["paid", "cancelled"])
      #expect(try rows.allSatisfy { try $0.text("account_id") != shop.store.account(of: tokens).description })
      let (ledger, faults) = try await shop.store.core.dependencies.database.read { connection in
        (try connection.rows("SELECT order_id FROM ledger").count, try Reconciliation(connection).faults())
      }
      #expect(ledger > 0)
      #expect(faults == [])
    }
  }

  @Test("ACC-14: after a deletion its apps are refused, its number makes a new account, and nothing is restored to it")
  func afterwards() async throws {
    try await customer { shop, browser, tokens in
      try await prove(browser, at: shop)
      try await browser.submit("/account/delete", with: ["agreed": "yes"])
      let client = browser.client
      let refreshed = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken))
      #expect(refreshed.status == .badRequest)
      let called = try await client.execute(
        uri: "/v1/sync", method: .get, headers: [.authorization: "Bearer \(tokens.accessToken)"]
      ) { $0.status }
      #expect(called == .unauthorized)
      let again = try await shop.login.tokens(client)
      #expect(again.accountID != tokens.accountID)
      let shopper = Shopper(
        store: shop.store, client: client, accountID: shop.store.account(of: again).description, country: "NL")
      let orders = try await shopper.sync().orders
      #expect(orders.isEmpty)
    }
  }
}

extension TestStore {
  /// The columns of every table.
  func columns() async throws -> [String: Set<String>] {
    let rows = try await core.dependencies.database.read {
      try $0.rows(
        TestDatabase.isPostgres
          ? "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
          : """
          SELECT t.name AS table_name, c.name AS column_name FROM sqlite_master t, pragma_table_info(t.name) c
          WHERE t.type = 'table'
          """)
    }
    return try rows.reduce(into: [:]) { tables, row in
      tables[try row.text("table_name"), default: []].insert(try row.text("column_name"))
    }
  }

  /// Every `table.column` with a value that contains one of the texts.
  func places(of texts: [String]) async throws -> Set<String> {
    let tables = try await columns()
    return try await core.dependencies.database.read { connection in
      // Else PostgreSQL writes letters in bytes as numbers.
      if TestDatabase.isPostgres { try connection.execute("SET LOCAL bytea_output = escape") }
      var found: Set<String> = []
      for (table, columns) in tables {
        for column in columns {
          let contains =
            TestDatabase.isPostgres
            ? "strpos(CAST(\(column) AS text), $1) > 0" : "instr(CAST(\(column) AS TEXT), $1) > 0"
          for text in texts {
            let sql = "SELECT 1 AS one FROM \(table) WHERE \(contains) LIMIT 1"
            if try connection.row(sql, [.text(text)]) != nil { found.insert("\(table).\(column)") }
          }
        }
      }
      return found
    }
  }
}
