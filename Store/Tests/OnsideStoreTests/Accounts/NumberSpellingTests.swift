import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

/// One person, one account, in any spelling of the phone number (ACC-20).
@Suite("Spellings of phone numbers at the login", .timeLimit(.minutes(5)))
struct NumberSpellingTests {
  private static let number = "+447911123456"
  private static let formerNumber = "+4407911123456"

  private static func identities(_ store: LoginStore) async throws -> [String] {
    try await store.store.core.dependencies.database.read {
      try $0.rows("SELECT contact FROM identities ORDER BY contact").map { try $0.text("contact") }
    }
  }

  /// Stores an account's number as a version before the numbering plans did.
  private static func respell(_ number: String, as former: String, at store: LoginStore) async throws {
    try await store.store.core.dependencies.database.write {
      _ = try $0.execute("UPDATE identities SET contact = $1 WHERE contact = $2", [.text(former), .text(number)])
    }
  }

  /// Corrects the stored numbers, as the first start of a version with other numbering plans does.
  private static func correct(_ store: LoginStore) async throws {
    let database = store.store.core.dependencies.database
    try await database.write { try StoreSettings(connection: $0).remove("numbering_plans") }
    try await NumberCorrection(database: database).run()
  }

  /// Goes through a login up to the page behind the code.
  private static func enterCode(_ browser: Browser, for fields: [String: String], at store: LoginStore) async throws {
    try await browser.get(LoginStore.authorize())
    try await browser.submit(store.attempt(browser), with: fields)
    try await browser.submit("/code", with: ["code": try await store.code(number)])
  }

  /// Makes an account of the number and one of its former spelling; returns the number's.
  private static func collision(at store: LoginStore, _ client: any TestClientProtocol) async throws -> AccountID {
    try await store.logIn(Browser(client), phone: number)
    try await respell(number, as: formerNumber, at: store)
    let contact = try #require(Contact(stored: "+447911123457"))
    try await store.logIn(Browser(client), phone: contact.text)
    try await respell(contact.text, as: number, at: store)
    let accounts = store.store.core.accounts
    let kept = try #require(Contact(stored: number))
    let account = try await accounts.account(kept)
    return try #require(account).id
  }

  @Test(
    "ACC-20: a number as dialled in the chosen country, or with its trunk zero, opens the account of the number",
    arguments: [
      ["phone": "07911 123456", "country": "GB"], ["phone": "+44 07911 123456", "country": "NL"],
      ["phone": "+44 (0)7911 123456"], ["phone": "00447911123456"],
    ])
  func spellings(fields: [String: String]) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      try await store.logIn(Browser(client), phone: Self.number)
      store.store.clock.advance(by: .seconds(120))
      let browser = Browser(client)
      try await Self.enterCode(browser, for: fields, at: store)
      #expect(browser.answer["code"] != nil)
      let identities = try await Self.identities(store)
      #expect(identities == [Self.number])
    }
  }

  @Test(
    "ACC-20: numbers that an earlier version stored as typed are corrected, and open the same account",
    arguments: [("+4407911123456", "+447911123456"), ("+54111523456789", "+5491123456789")])
  func correction(stored: String, canonical: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      try await store.logIn(Browser(client))
      try await Self.respell("+31612345689", as: stored, at: store)
      try await Self.correct(store)
      let identities = try await Self.identities(store)
      #expect(identities == [canonical])
      store.store.clock.advance(by: .seconds(120))
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": canonical])
      try await browser.submit("/code", with: ["code": try await store.code(canonical)])
      #expect(browser.answer["code"] != nil)
    }
  }

  @Test("ACC-20: two spellings of one account become one; those of two accounts stay")
  func duplicates() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      _ = try await Self.collision(at: store, client)
      try await Self.correct(store)
      let both = try await Self.identities(store)
      #expect(both == [Self.formerNumber, Self.number])
      try await store.store.core.dependencies.database.write { connection in
        _ = try connection.execute(
          """
          UPDATE identities SET account_id = (SELECT account_id FROM identities WHERE contact = $1) WHERE contact = $2
          """, [.text(Self.number), .text(Self.formerNumber)])
      }
      try await Self.correct(store)
      let one = try await Self.identities(store)
      #expect(one == [Self.number])
    }
  }

  @Test("ACC-20: a number that opens two accounts asks which one, opens the chosen one, and removes neither")
  func choice() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let account = try await Self.collision(at: store, client)
      store.store.clock.advance(by: .seconds(120))
      let browser = Browser(client)
      try await Self.enterCode(browser, for: ["phone": Self.number], at: store)
      #expect(browser.path.hasSuffix("/account"))
      let buttons = browser.page.all("button").filter { $0["name"] == "account" }
      #expect(buttons.count == 2)
      try await browser.submit("/account", with: ["account": "another".sha256Base64URL])
      #expect(browser.path.hasSuffix("/account") && browser.answer["code"] == nil)
      try await browser.submit("/account", with: ["account": account.description.sha256Base64URL])
      #expect(browser.answer["code"] != nil)
      let sessions = try await store.store.core.dependencies.database.read {
        try $0.rows("SELECT account_id FROM web_sessions ORDER BY created_at DESC").map { try $0.text("account_id") }
      }
      #expect(sessions.first == account.description)
      let identities = try await Self.identities(store)
      #expect(identities == [Self.formerNumber, Self.number])
      let shared = try await store.store.core.sharedNumbers()
      #expect(shared.map(\.number) == ["•••• 56"] && shared.first?.accounts.count == 2)
    }
  }

  @Test("ACC-20: the choice between accounts needs the code")
  func unproved() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let account = try await Self.collision(at: store, client)
      store.store.clock.advance(by: .seconds(120))
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": Self.number])
      let attempt = try await store.logins.attempt(
        try #require(browser.path.split(separator: "/").dropFirst().first.map(String.init)),
        browser: browser.cookies["onside_browser"]?.sha256Base64URL)
      try await browser.get("/login/\(attempt.id)/account")
      #expect(!browser.path.hasSuffix("/account"))
      let step = try await store.logins.choose(account, for: attempt, in: LoginBrowser())
      #expect(step == .code(.spent))
    }
  }

  @Test("ACC-20: a number that opens another account in a former spelling cannot be added")
  func taken() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      try await store.logIn(Browser(client), phone: Self.number)
      try await Self.respell(Self.number, as: Self.formerNumber, at: store)
      store.store.clock.advance(by: .seconds(120))
      let browser = Browser(client)
      try await store.logIn(browser)
      try await browser.get("/account/logins")
      try await browser.submit("/logins/add")
      try await browser.submit(store.attempt(browser), with: ["phone": Self.number])
      try await browser.submit("/code", with: ["code": try await store.code(Self.number)])
      #expect(browser.status == .conflict)
    }
  }
}
