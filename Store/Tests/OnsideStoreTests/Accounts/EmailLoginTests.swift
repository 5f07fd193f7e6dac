import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

@Suite("Logging in by e-mail", .timeLimit(.minutes(5)))
struct EmailLoginTests {
  private static let both: @Sendable (inout StoreConfiguration) -> Void = { $0.mail.sender = .console }
  private static let emailOnly: @Sendable (inout StoreConfiguration) -> Void = {
    $0.mail.sender = .console
    $0.messages.sender = .none
  }

  /// Goes to the page that asks for an address.
  private static func open(_ browser: Browser, changes: [String: String?] = [:]) async throws {
    try await browser.get(LoginStore.authorize(changes))
    let link = browser.page.all("a").compactMap { $0["href"] }.first { $0.contains("with=email") }
    try await browser.get(try #require(link?.replacing("&amp;", with: "&")))
  }

  private static func logIn(_ browser: Browser, at store: LoginStore, as address: String) async throws {
    try await open(browser)
    try await browser.submit(store.attempt(browser), with: ["email": address])
    #expect(browser.path.hasSuffix("/code"), "\(browser.path)")
    try await browser.submit("/code", with: ["code": try await store.code(address.lowercased())])
    if browser.path.hasSuffix("/region") { try await browser.submit("/region", with: ["country": "NL"]) }
  }

  @Test("ACC-17: an account made by e-mail gets the region that the app hints at, shown and changeable at sign-up")
  func signUp() async throws {
    let store = try await LoginStore(configure: Self.both)
    try await store.test { client in
      let browser = Browser(client)
      try await Self.open(browser, changes: ["country_hint": "FR"])
      #expect(browser.page.element(id: "email") != nil)
      try await browser.submit(store.attempt(browser), with: ["email": " Ann@Example.org "])
      #expect(browser.html.contains("ann@example.org"))
      try await browser.submit("/code", with: ["code": try await store.code("ann@example.org")])
      #expect(browser.path.hasSuffix("/region"))
      #expect(browser.page.all("option").first { $0["selected"] != nil }?["value"] == "FR")
      try await browser.submit("/region", with: ["country": "BE"])
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?code=") == true)
      let contact = Contact.email(try EmailAddress(parsing: "ANN@example.ORG"))
      let account = try #require(try await store.store.core.accounts.account(contact))
      #expect(account.country.alpha2 == "BE" && account.contacts == [contact] && account.phone == nil)
    }
  }

  @Test("The same address in other letters logs in to the same account; a number is another one")
  func sameAccount() async throws {
    let store = try await LoginStore(configure: Self.both)
    try await store.test { client in
      try await Self.logIn(Browser(client), at: store, as: "ann@example.org")
      store.store.clock.advance(by: .seconds(120))
      try await Self.logIn(Browser(client), at: store, as: "Ann@EXAMPLE.org")
      try await store.logIn(Browser(client))
      let rows = try await store.store.core.dependencies.database.read { try $0.rows("SELECT id FROM accounts") }
      #expect(rows.count == 2)
    }
  }

  @Test("The login page offers what the store has senders for, and nothing else")
  func offered() async throws {
    typealias Configure = @Sendable (inout StoreConfiguration) -> Void
    let stores: [(configure: Configure, hasPhone: Bool, hasEmail: Bool)] = [
      (Self.both, true, true), (Self.emailOnly, false, true), ({ _ in }, true, false),
    ]
    for (configure, hasPhone, hasEmail) in stores {
      let store = try await LoginStore(configure: configure)
      try await store.test { client in
        let browser = Browser(client)
        try await browser.get(LoginStore.authorize())
        #expect((browser.page.element(id: "phone") != nil) == hasPhone)
        #expect(browser.html.contains("with=email") == (hasPhone && hasEmail))
        #expect((browser.page.element(id: "email") != nil) == !hasPhone)
        // A form for a login method that is not offered sends nothing.
        let field = hasEmail ? "phone" : "email"
        guard hasPhone != hasEmail else { return }
        try await browser.get(browser.path)
        let value = field == "phone" ? "+31612345689" : "ann@example.org"
        try await browser.submit(store.attempt(browser), with: [field: value])
        await store.messages.deliverDue()
        #expect(store.inbox.messages.isEmpty)
      }
    }
  }

  @Test("ACC-11: an address that is none is named beside the field, and nothing is sent")
  func badAddress() async throws {
    let store = try await LoginStore(configure: Self.both)
    try await store.test { client in
      let browser = Browser(client)
      try await Self.open(browser)
      try await browser.submit(store.attempt(browser), with: ["email": "ann at example"])
      #expect(browser.status == .unprocessableContent)
      #expect(browser.page.element(id: "email-error") != nil)
      #expect(browser.page.element(id: "email")?["value"] == "ann at example")
      await store.messages.deliverDue()
      #expect(store.inbox.messages.isEmpty)
    }
  }

  @Test("ACC-12: addresses have the limits of numbers: delays, per mailbox, in total, apart from the numbers'")
  func limits() async throws {
    var limits = CodeLimits()
    (limits.perRange, limits.total) = (2, 6)
    let store = try await LoginStore(limits: limits, configure: Self.both)
    func ask(_ contact: String) async throws -> LoginService.SendOutcome {
      let logins = store.logins
      let attempt = try await logins.begin(.web(next: "/"), browser: contact, language: .english)
      return try await logins.sendCode(
        attempt, to: try #require(Contact(stored: contact)), source: CodeSource(device: contact, network: contact))
    }
    func limit(_ contact: String) async throws -> CodeLimitReached.Limit? {
      guard case .limited(let reached) = try await ask(contact) else { return nil }
      return reached.limit
    }
    let actualLimit = try await limit("ann@example.org")
    #expect(actualLimit == nil)
    let secondLimit = try await limit("ANN@example.org")
    #expect(secondLimit == .delay)
    let thirdLimit = try await limit("ann+1@example.org")
    #expect(thirdLimit == nil)
    let fourthLimit = try await limit("ann+2@example.org")
    #expect(fourthLimit == .range)
    let fifthLimit = try await limit("bob@example.org")
    #expect(fifthLimit == nil)
    let sixthLimit = try await limit("eve@example.org")
    #expect(sixthLimit == .unrecognized)
    let seventhLimit = try await limit("+31612345689")
    #expect(seventhLimit == nil)
  }

  @Test("ACC-12: an address with an account and one without get the same page")
  func sameAnswer() async throws {
    let store = try await LoginStore(configure: Self.both)
    try await store.test { client in
      try await Self.logIn(Browser(client), at: store, as: "ann@example.org")
      store.store.clock.advance(by: .seconds(120))
      var pages: [String] = []
      for address in ["ann@example.org", "bob@example.org"] {
        let browser = Browser(client)
        try await Self.open(browser)
        try await browser.submit(store.attempt(browser), with: ["email": address])
        let attempt = browser.path.split(separator: "/")[1]
        let csrf = browser.page.elements.first { $0["name"] == "csrf" }?["value"] ?? ""
        pages.append(
          browser.html.replacing(attempt, with: "ATTEMPT").replacing(address, with: "ADDRESS").replacing(csrf, with: "")
        )
      }
      #expect(pages[0] == pages[1] && pages[0].contains("ADDRESS"))
    }
  }

  @Test(
    "What people type as an address is read forgivingly or refused with the reason",
    arguments: [
      ("ann@example.org", "ann@example.org", nil), (" Ann.B+tag@Mail.Example.ORG\n", "ann.b+tag@mail.example.org", nil),
      ("a'b_c@x-y.example", "a'b_c@x-y.example", nil), ("", nil, .empty), (" ", nil, .empty), ("ann", nil, .malformed),
      ("ann@example", nil, .malformed), ("@example.org", nil, .malformed), ("a@b@example.org", nil, .malformed),
      (".ann@example.org", nil, .malformed), ("a..b@example.org", nil, .malformed), ("ann@-x.example", nil, .malformed),
      ("ann@1.2.3.4", nil, .malformed), ("ann@ex_ample.org", nil, .malformed), ("ann@example..org", nil, .malformed),
      ("ann b@example.org", nil, .unexpected(" ")), ("ann@example.org\r\nBcc: x", nil, .unexpected("\r\n")),
      ("änn@example.org", nil, .unexpected("ä")), ("<ann@example.org>", nil, .unexpected("<")),
      ("\"a\"@example.org", nil, .unexpected("\"")),
    ] as [(String, String?, EmailAddressError?)])
  func addresses(typed: String, text: String?, error: EmailAddressError?) {
    do {
      let address = try EmailAddress(parsing: typed)
      #expect(address.text == text)
    } catch let refusal {
      #expect(refusal == error)
    }
  }

  @Test("SEC-1: an address prints masked")
  func masked() throws {
    let address = try EmailAddress(parsing: "ann.lee@example.org")
    var dumped = ""
    dump(address, to: &dumped)
    #expect("\(address) \(String(reflecting: address)) \(dumped)".contains("nn.lee") == false)
    #expect(address.masked == "a•••@example.org")
  }

  @Test("Accounts of phone numbers keep their number when identities get a table of their own")
  func migration() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("store.db")
    let now = Date(timeIntervalSince1970: 1_780_000_000)
    let before = Migration.all.filter { $0.number < 70 }
    let old = try SQLiteDatabase.open(at: path, migrations: before, now: now)
    try await old.write { connection in
      try connection.execute(
        "INSERT INTO accounts(id, phone, country, created_at) "
          + "VALUES ('0190a0a0-0000-7000-8000-000000000001', '+31612345689', 'NL', 1)")
      try connection.execute(
        "INSERT INTO accounts(id, country, created_at, removed_at) "
          + "VALUES ('0190a0a0-0000-7000-8000-000000000002', 'DE', 1, 2)")
    }
    await old.close()
    let new = try SQLiteDatabase.open(at: path, now: now)
    let phone = Contact.phone(try PhoneNumber(parsing: "+31612345689"))
    let account = try #require(try await new.read { try AccountRecords.account(identity: .contact(phone), in: $0) })
    #expect(account.country.alpha2 == "NL" && account.contacts == [phone])
    let rowCount = try await new.read { try $0.rows("SELECT id FROM accounts") }.count
    #expect(rowCount == 2)
    await new.close()
  }
}
