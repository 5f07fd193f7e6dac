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

@Suite("Logging in", .timeLimit(.minutes(5)))
struct LoginTests {
  @Test("ACC-17: a new account gets the region of its number, shown and changeable at sign-up")
  func signUp() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+49 151 23456789"])
      try await browser.submit("/code", with: ["code": try await store.code("+4915123456789")])
      #expect(browser.path.hasSuffix("/region"))
      #expect(browser.page.all("option").first { $0["selected"] != nil }?["value"] == "DE")
      try await browser.submit("/region", with: ["country": "AT"])
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?code=") == true)
      let account = try await store.store.core.accounts.account(
        .phone(try PhoneNumber(parsing: "+4915123456789")))
      #expect(account?.country.alpha2 == "AT")
    }
  }

  @Test("ACC-11: a code proves the number that it was sent to, not one that was entered while it was on its way")
  func numberChangedMeanwhile() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345681"])
      let id = try #require(browser.path.split(separator: "/").dropFirst().first.map(String.init))
      let logins = store.logins
      let database = store.store.core.dependencies.database
      let earlier = try #require(try await database.read { try LoginRecords.attempt(id: id, in: $0) })
      let code = try await store.code("+31612345681")
      try await browser.get("/login/\(id)")
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345682"])
      // The form with the first number's code arrives now, read against the attempt as it was before.
      let outcome = try await logins.enter(code, for: earlier)
      #expect(outcome == .code(.spent))
      let later = try #require(try await database.read { try LoginRecords.attempt(id: id, in: $0) })
      #expect(later.contact?.text == "+31612345682" && !later.isVerified)
      var forged = earlier
      forged.verifiedAt = store.store.clock.now()
      let signUp = try await logins.signUp(forged, country: .netherlands)
      #expect(signUp == .code(.spent))
    }
  }

  @Test("ACC-17: a region that is none is named on the page, and no account is made")
  func badRegion() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      try await browser.submit("/code", with: ["code": try await store.code("+31612345689")])
      try await browser.submit("/region", with: ["country": "XX"])
      #expect(browser.status == .unprocessableContent)
      #expect(browser.page.element(id: "region-error") != nil)
      let accounts = try await store.store.core.dependencies.database.read { try $0.rows("SELECT id FROM accounts") }
      #expect(accounts.isEmpty)
    }
  }

  @Test("ACC-11: a number that is none is named beside the field, and nothing is sent")
  func badNumber() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "612345"])
      #expect(browser.status == .unprocessableContent)
      #expect(browser.page.element(id: "phone-error")?.text.isEmpty == false)
      #expect(browser.page.element(id: "phone")?["value"] == "612345")
      await store.messages.deliverDue()
      #expect(store.inbox.messages.isEmpty)
    }
  }

  @Test("ACC-11: a code works once")
  func once() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      let attempt = browser.path.replacing("/region", with: "")
      try await browser.get(attempt)
      #expect(browser.status == .gone)
    }
  }

  @Test("ACC-11: a code allows five tries")
  func fiveTries() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      let code = try await store.code("+31612345689")
      let wrong = code == "000000" ? "000001" : "000000"
      for _ in 1...4 {
        try await browser.submit("/code", with: ["code": wrong])
        #expect(browser.page.element(id: "code-error")?.text.contains("isn’t right") == true)
      }
      try await browser.submit("/code", with: ["code": wrong])
      #expect(browser.page.element(id: "code-error")?.text.contains("no longer works") == true)
      try await browser.submit("/code", with: ["code": code])
      #expect(browser.page.element(id: "code-error")?.text.contains("no longer works") == true)
      #expect(browser.leftFor == nil)
    }
  }

  @Test("ACC-11: a code lives ten minutes", arguments: [(599, true), (600, false)])
  func expiry(seconds: Int, isGood: Bool) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      let code = try await store.code("+31612345689")
      store.store.clock.advance(by: .seconds(seconds))
      try await browser.submit("/code", with: ["code": code])
      #expect(browser.path.hasSuffix("/region") == isGood)
      #expect((browser.page.element(id: "code-error")?.text.contains("expired") == true) == !isGood)
    }
  }

  @Test("ACC-11: what is no six digits is named and costs no try; spaces and other digits are forgiven")
  func malformed() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      let code = try await store.code("+31612345689")
      for typed in ["", "12345", "1234567", "12a456", "+12345"] {
        try await browser.submit("/code", with: ["code": typed])
        #expect(browser.page.element(id: "code-error")?.text.contains("6 digits") == true)
      }
      try await browser.submit("/code", with: ["code": " \(code.prefix(3))-\(code.suffix(3)) "])
      #expect(browser.path.hasSuffix("/region"))
    }
  }

  @Test("ACC-11: a resend waits 30 seconds, then longer, and the code before it no longer works")
  func resend() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      let first = try await store.code("+31612345689")
      store.store.clock.advance(by: .seconds(29))
      try await browser.submit("/resend")
      #expect(browser.status == .tooManyRequests)
      #expect(browser.response?.headers[.retryAfter] == "1")
      // Nothing is wrong with the code.
      #expect(browser.page.element(id: "code")?["aria-invalid"] == nil)
      #expect(browser.page.element(id: "resend")?.text.contains("You can request a new code in") == true)
      store.store.clock.advance(by: .seconds(1))
      try await browser.submit("/resend")
      #expect(browser.status == .ok)
      let second = try await store.code("+31612345689")
      #expect(store.inbox.messages.count == 2)
      store.store.clock.advance(by: .seconds(59))
      try await browser.submit("/resend")
      #expect(browser.response?.headers[.retryAfter] == "1")
      if first != second {
        try await browser.submit("/code", with: ["code": first])
        #expect(browser.page.element(id: "code-error") != nil)
      }
      try await browser.submit("/code", with: ["code": second])
      #expect(browser.path.hasSuffix("/region"))
    }
  }

  @Test("A form that is sent twice sends one code")
  func doubleSubmit() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      let attempt = browser.path
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      try await browser.get(attempt)
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      #expect(browser.path.hasSuffix("/code"))
      await store.messages.deliverDue()
      #expect(store.inbox.messages.count == 1)
    }
  }

  @Test("The code of one number proves no other number of the same login")
  func otherNumber() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      let attempt = browser.path
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      let code = try await store.code("+31612345689")
      try await browser.get(attempt)
      try await browser.submit(store.attempt(browser), with: ["phone": "+31687654321"])
      let other = try await store.code("+31687654321")
      if code != other {
        try await browser.submit("/code", with: ["code": code])
        #expect(browser.page.element(id: "code-error") != nil)
      }
      try await browser.submit("/code", with: ["code": other])
      #expect(browser.path.hasSuffix("/region"))
    }
  }

  @Test("A browser that is logged in is asked whether to go on as that account")
  func goOn() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      let session = browser.cookies["onside_session"]
      try await browser.get(
        LoginStore.authorize(client: "io.example.tideline", redirect: "io.example.tideline://onside"))
      #expect(browser.html.contains("•••• 89"))
      #expect(!browser.html.contains("1234"))
      try await browser.submit("/continue")
      #expect(browser.leftFor?.hasPrefix("io.example.tideline://onside?code=") == true)
      #expect(browser.cookies["onside_session"] != session)
      #expect(store.inbox.messages.count == 1)
    }
  }

  @Test("Another number can be used instead, and the account of the browser changes with it")
  func anotherNumber() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      try await store.logIn(browser, phone: "+31687654321")
      #expect(browser.leftFor?.contains("code=") == true)
      try await browser.get(LoginStore.authorize())
      #expect(browser.html.contains("•••• 21"))
    }
  }

  @Test("Cancel tells the app access_denied, once")
  func cancel() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      let attempt = browser.path
      try await browser.submit("/cancel")
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?") == true)
      #expect(browser.answer["error"] == "access_denied")
      #expect(browser.answer["state"] == "st&te=1")
      #expect(browser.answer["iss"] == store.store.core.address.issuer)
      try await browser.get(attempt)
      #expect(browser.status == .gone)
    }
  }

  @Test("The pages speak the language and wear the colours that the app asked for")
  func look() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      browser.headers[.acceptLanguage] = "fr"
      try await browser.get(LoginStore.authorize(["ui_locales": "xx ar-EG", "theme": "dark"]))
      let root = try #require(browser.page.all("html").first)
      #expect(root["lang"] == "ar" && root["dir"] == "rtl" && root["data-theme"] == "dark")
      #expect(browser.page.element(id: "phone-hint")?.text.contains("+31") == true)
      try await browser.get(LoginStore.authorize(["country_hint": " de "]))
      #expect(browser.page.all("html").first?["lang"] == "fr")
      #expect(browser.page.element(id: "phone-hint")?.text.contains("+49") == true)
    }
  }

  @Test("A login that the store's own page asks for leads back to it")
  func webLogin() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get("/login?next=/")
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      try await browser.submit("/code", with: ["code": try await store.code("+31612345689")])
      try await browser.submit("/region", with: ["country": "NL"])
      #expect(browser.path == "/" && browser.status == .ok)
      #expect(browser.html.contains("href=\"/account\""))
    }
  }
}

extension LoginStore {
  /// The last part of the login's address, which the first form leads to.
  func attempt(_ browser: Browser) -> String {
    String(browser.path.split(separator: "?")[0].split(separator: "/").last ?? "")
  }
}
