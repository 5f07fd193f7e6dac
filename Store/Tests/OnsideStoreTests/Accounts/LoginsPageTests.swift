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

@Suite("The ways to log in of an account", .timeLimit(.minutes(5)))
struct LoginsPageTests {
  private static let number = "+31612345689"
  private static let email = "ann@example.org"

  private func store() async throws -> LoginStore { try await LoginStore { $0.mail.sender = .console } }

  /// Goes from the page of logins to where a number or address was entered.
  private func add(_ fields: [String: String], in browser: Browser, at store: LoginStore) async throws {
    try await browser.get("/account/logins")
    try await browser.submit("/logins/add")
    if let address = browser.page.all("a").compactMap({ $0["href"] }).first(where: { $0.contains("with=email") }),
      fields["email"] != nil
    {
      try await browser.get(address.replacing("&amp;", with: "&"))
    }
    try await browser.submit(store.attempt(browser), with: fields)
  }

  private func token(_ browser: Browser) throws -> String {
    try #require(browser.page.all("input").first { $0["name"] == "csrf" }?["value"])
  }

  private func identities(_ store: LoginStore, of contact: String = number) async throws -> [String] {
    let contact = try #require(Contact(stored: contact))
    return try await store.store.core.accounts.account(contact)?.identities.map(\.identity.text) ?? []
  }

  @Test("A second address is added after a code that was sent to it, and logs in to the same account")
  func addAddress() async throws {
    let store = try await store()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      let session = browser.cookies["onside_session"]
      try await add(["email": Self.email], in: browser, at: store)
      #expect(browser.path.hasSuffix("/code"))
      let actualIdentities = try await identities(store)
      #expect(actualIdentities == [Self.number])
      try await browser.submit("/code", with: ["code": try await store.code(Self.email)])
      #expect(browser.path == "/account/logins?added=1" && browser.html.contains("a•••@example.org"))
      #expect(browser.cookies["onside_session"] == session)
      let set = try await Set(identities(store))
      #expect(set == [Self.number, Self.email])
      let byEmail = try await identities(store, of: Self.email)
      let byNumber = try await identities(store)
      #expect(byEmail == byNumber)
    }
  }

  @Test("ACC-12: adding has the limits of logins: a second code must wait, also after a login's")
  func limits() async throws {
    let store = try await store()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      try await add(["phone": "+31612345600"], in: browser, at: store)
      #expect(browser.path.hasSuffix("/code"))
      try await add(["phone": "+31612345600"], in: browser, at: store)
      #expect(browser.status == .tooManyRequests && browser.response?.headers[.retryAfter] != nil)
    }
  }

  @Test("What belongs to another account stays there: it is said so, and nothing is merged or changed")
  func taken() async throws {
    let store = try await store()
    try await store.test { client in
      try await store.logIn(Browser(client), phone: "+31612345600")
      store.store.clock.advance(by: .seconds(120))
      let browser = Browser(client)
      try await store.logIn(browser)
      let before = try await store.store.core.dependencies.database.read { try $0.rows("SELECT * FROM identities") }
      try await add(["phone": "+31612345600"], in: browser, at: store)
      try await browser.submit("/code", with: ["code": try await store.code("+31612345600")])
      #expect(browser.status == .conflict && browser.html.contains("never merged"))
      let after = try await store.store.core.dependencies.database.read { try $0.rows("SELECT * FROM identities") }
      #expect(before.map { "\($0)" } == after.map { "\($0)" } && after.count == 2)
    }
  }

  @Test("A way is taken away and then makes a new account; the last one stays, also when two go at once")
  func remove() async throws {
    let store = try await store()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      try await browser.get("/account/logins")
      #expect(browser.page.all("form").allSatisfy { $0["action"]?.hasSuffix("/remove") != true })
      let csrf = try token(browser)
      try await browser.post("/account/logins/remove", fields: ["csrf": csrf, "identity": Self.number.sha256Base64URL])
      #expect(browser.status == .unprocessableContent)
      #expect(browser.html.contains("The only one can’t be removed"))
      try await add(["email": Self.email], in: browser, at: store)
      try await browser.submit("/code", with: ["code": try await store.code(Self.email)])
      let buttons = browser.page.all("button").filter { $0["name"] == "identity" }
      #expect(Set(buttons.compactMap { $0["value"] }) == [Self.number.sha256Base64URL, Self.email.sha256Base64URL])
      try await browser.submit("/logins/remove", with: ["identity": Self.number.sha256Base64URL])
      #expect(browser.path == "/account/logins?removed=1")
      let actualIdentities = try await identities(store)
      #expect(actualIdentities == [])
      let secondIdentities = try await identities(store, of: Self.email)
      #expect(secondIdentities == [Self.email])
    }
    let (number, email) = (try #require(Identity(stored: Self.number)), try #require(Identity(stored: Self.email)))
    let accounts = store.store.core.accounts
    let contact = try #require(email.contact)
    let account = try #require(try await accounts.account(contact))
    try await store.store.core.dependencies.database.write(at: Date()) { transaction in
      let proved = ProvedIdentity(identity: number, label: nil, provedAt: transaction.now)
      _ = try AccountRecords.addIdentity(proved, to: account.id, in: transaction)
    }
    let now = store.store.clock.now()
    let login = WebSession(token: "t", account: account, createdAt: now, usedAt: now)
    let proofs = [number, email].map { ProvedIdentity(identity: $0, label: nil, provedAt: now) }
    async let first = accounts.remove(proofs[0], by: login, language: .english)
    async let second = accounts.remove(proofs[1], by: login, language: .english)
    let count = try await [first, second].filter(\.self).count
    #expect(count == 1)
  }

  @Test("Adding and taking away ask for a proof that is minutes old")
  func proof() async throws {
    let store = try await store()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      store.store.clock.advance(by: .seconds(11 * 60))
      try await browser.get("/account/logins")
      #expect(browser.html.contains("•••• 89") && !browser.html.contains("/logins/add"))
      let csrf = try token(browser)
      for path in ["/account/logins/add", "/account/logins/remove"] {
        try await browser.post(path, fields: ["csrf": csrf, "identity": Self.number.sha256Base64URL])
        #expect(browser.path == "/account/logins" && browser.html.contains("prove that it’s you"))
      }
      try await browser.submit("/account/logins")
      try await browser.submit(store.attempt(browser), with: ["phone": Self.number])
      try await browser.submit("/code", with: ["code": try await store.code(Self.number)])
      #expect(browser.path == "/account/logins" && browser.html.contains("/logins/add"))
    }
  }

  @Test("A login that adds ends with the browser's login, and begins none itself")
  func loggedOut() async throws {
    let store = try await store()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      try await add(["phone": "+31612345600"], in: browser, at: store)
      let (page, csrf) = (browser.path, try token(browser))
      let code = try await store.code("+31612345600")
      let attempt = "/login/" + String(page.split(separator: "/")[1])
      try await browser.post(attempt + "/continue", fields: ["csrf": csrf])
      #expect(browser.status == .gone)
      let session = browser.cookies.removeValue(forKey: "onside_session")
      try await browser.post(page, fields: ["csrf": csrf, "code": code])
      #expect(browser.status == .gone)
      browser.cookies["onside_session"] = session
      try await browser.post(page, fields: ["csrf": csrf, "code": code])
      #expect(browser.path == "/account/logins?added=1")
    }
  }

  @Test("An identity is read back from its text, whatever it holds", arguments: ["a b", "x@y", "+31", "é", "a  b "])
  func stored(subject: String) throws {
    let federated = try #require(
      FederatedIdentity(kind: .openID, issuer: "https://id.example/x", subject: subject))
    #expect(Identity(stored: Identity.federated(federated).text) == .federated(federated))
    #expect(!"\(federated) \(Identity.federated(federated))".contains(subject))
    #expect(FederatedIdentity(kind: .openID, issuer: "a b", subject: "c") == nil)
    #expect(FederatedIdentity(kind: .openID, issuer: "a", subject: String(repeating: "c", count: 256)) == nil)
  }
}
