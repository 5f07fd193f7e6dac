import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreWeb

@Suite("OAuth: consent of a user who is logged in", .timeLimit(.minutes(5)))
struct ConsentTests {
  /// A store with a browser that is logged in, before the page that asks for consent.
  private func asked(
    _ changes: [String: String?] = [:], _ body: @escaping @Sendable (LoginStore, Browser) async throws -> Void
  ) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      try await browser.get(LoginStore.authorize(changes))
      try await body(store, browser)
    }
  }

  struct Asker: Sendable {
    var redirect: String
    var note: String
    var source: String
  }

  @Test(
    "ACC-7: the page says which app asks, for what, and where the answer goes; nothing is given before a press",
    arguments: [
      Asker(redirect: LoginStore.redirect, note: "An app on this device", source: "io.example.lumen:"),
      Asker(
        redirect: "http://127.0.0.1:4711/callback", note: "A program on this device", source: "http://127.0.0.1:4711"),
      Asker(redirect: "https://lumen.example/cb?x=1", note: "A website", source: "https://lumen.example"),
    ])
  func shows(asker: Asker) async throws {
    try await asked(["redirect_uri": asker.redirect]) { _, browser in
      #expect(browser.status == .ok && browser.leftFor == nil)
      for text in [
        "Log in to \u{2068}Lumen\u{2069}?", "io.example.lumen", asker.redirect, asker.note, "•••• 89",
        "see what you bought in", "place orders", "Don’t allow", "Not you?",
      ] { #expect(browser.html.contains(text), "\(text)") }
      #expect(!browser.html.contains("612345689") && !browser.html.contains("autofocus"))
      let policy = browser.response?.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.contains("form-action 'self' \(asker.source);") && policy.contains("frame-ancestors 'none'"))
      #expect(browser.response?.headers[.xFrameOptions] == "DENY")
    }
  }

  @Test("ACC-7: at a first login the page of the code says which app asks, and where the answer goes")
  func firstLogin() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let (browser, redirect) = (Browser(client), "http://127.0.0.1:61999/callback")
      try await browser.get(LoginStore.authorize(["redirect_uri": redirect]))
      let form = browser.path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? ""
      try await browser.submit(form, with: ["phone": "+31612345689"])
      #expect(browser.leftFor == nil && browser.html.contains("name=\"code\""))
      for text in ["Lumen", "A program on this device", "Details", "io.example.lumen", redirect] {
        #expect(browser.html.contains(text), "\(text)")
      }
    }
  }

  @Test("ACC-7, ACC-9: one press gives a code that its app, address and verifier exchange, with state and issuer")
  func consents() async throws {
    try await asked { store, browser in
      try await browser.submit("/continue")
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?code=") == true)
      #expect(browser.answer["state"] == "st&te=1")
      #expect(browser.answer["iss"] == store.store.core.address.issuer)
      let code = try #require(browser.answer["code"])
      for changes in [
        ["client_id": "io.example.tideline"], ["redirect_uri": "http://127.0.0.1/callback"],
        ["code_verifier": String(repeating: "v", count: 43)],
      ] {
        let refused = try await LoginStore.token(
          browser.client, parameters: LoginStore.exchange(code, changes: changes))
        #expect(refused.status == .badRequest)
      }
      let status = try await LoginStore.token(browser.client, parameters: LoginStore.exchange(code)).status
      #expect(status == .ok)
      #expect(store.inbox.messages.count == 1)
    }
  }

  @Test("ACC-9: refusing tells the app so, with state and issuer, and leaves the person logged in")
  func refuses() async throws {
    try await asked { store, browser in
      try await browser.submit("/cancel")
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?error=access_denied&") == true)
      #expect(browser.answer["state"] == "st&te=1")
      #expect(browser.answer["iss"] == store.store.core.address.issuer)
      #expect(browser.answer["code"] == nil)
      let html = try await browser.get("/account").html
      #expect(html.contains("•••• 89"))
    }
  }

  @Test("ACC-7: another user logs in instead, and the code is for their account")
  func somebodyElse() async throws {
    try await asked { store, browser in
      let other = try #require(browser.page.all("a").first { $0["href"]?.contains("number=other") == true }?["href"])
      try await browser.get(other)
      try await browser.submit(store.attempt(browser), with: ["phone": "+31687654321"])
      try await browser.submit("/code", with: ["code": try await store.code("+31687654321")])
      try await browser.submit("/region", with: ["country": "NL"])
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?code=") == true)
      let html = try await browser.get("/account").html
      #expect(html.contains("•••• 21"))
    }
  }

  @Test("SEC-3: a press counts only for the account that the page showed")
  func otherAccount() async throws {
    try await asked { store, browser in
      let consent = browser.page.elements.filter { $0.name == "input" }
      let fields = Dictionary(
        consent.compactMap { input in input["name"].map { ($0, input["value"] ?? "") } }, uniquingKeysWith: { $1 })
      let path = browser.path
      // Another tab of the same browser logs in to another account.
      try await store.logIn(browser, phone: "+31687654321")
      try await browser.post(path + "/continue", fields: fields)
      #expect(browser.leftFor == nil && browser.path == path && browser.html.contains("•••• 21"))
      // A form of the new session is refused, too, if it names the former account or none.
      let csrf = try #require(
        try await browser.get(path).page.elements.first { $0["name"] == "csrf" }?["value"])
      for subject in [fields["subject"], nil] {
        try await browser.post(path + "/continue", fields: ["csrf": csrf, "subject": subject ?? ""])
        #expect(browser.leftFor == nil && browser.html.contains("•••• 21"))
      }
      try await browser.submit("/continue")
      #expect(browser.leftFor?.contains("?code=") == true)
    }
  }

  @Test("SEC-3: a page of another site cannot press the button, and a press after the answer does nothing")
  func forged() async throws {
    try await asked { _, browser in
      let path = browser.path
      try await browser.post(path + "/continue", fields: ["csrf": "AAAA"])
      #expect(browser.status == .forbidden && browser.leftFor == nil)
      try await browser.get(path)
      let fields = ["csrf", "subject"].map { name in
        (name, browser.page.elements.first { $0["name"] == name }?["value"] ?? "")
      }
      let form = Dictionary(uniqueKeysWithValues: fields)
      browser.headers[.secFetchSite] = "cross-site"
      try await browser.post(path + "/continue", fields: form)
      #expect(browser.status == .forbidden && browser.leftFor == nil)
      browser.headers[.secFetchSite] = "same-origin"
      try await browser.post(path + "/continue", fields: form)
      #expect(browser.leftFor?.contains("?code=") == true)
      try await browser.post(path + "/continue", fields: form)
      #expect(browser.leftFor == nil && browser.status == .gone)
    }
  }

  @Test("ACC-7: an ended login of the browser is not consent: the number is asked")
  func ended() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      try await browser.get(LoginStore.authorize())
      store.store.clock.advance(by: .seconds(WebSessionRecords.lifetime + 1))
      try await browser.get(LoginStore.authorize())
      #expect(browser.page.element(id: "phone") != nil)
    }
  }
}
