import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

@Suite("Security of the pages", .timeLimit(.minutes(5)))
struct PageSecurityTests {
  @Test("SEC-3: every page forbids scripts, framing, caching and telling where it came from")
  func headers() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      for route in store.store.pages where route.method == .get && route.path != "/assets/{name}" {
        let path = route.path.replacing("{app}", with: "io.example.lumen").replacing(#/\{[a-z]+\}/#, with: "nothing")
        let response = try await client.execute(uri: path, method: .get)
        let policy = response.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
        #expect(policy.contains("base-uri 'none'") && !policy.contains("unsafe"), "\(path)")
        #expect(!policy.contains("script-src"), "\(path)")
        #expect(response.headers[.xFrameOptions] == "DENY", "\(path)")
        #expect(response.headers[.referrerPolicy] == "no-referrer", "\(path)")
        #expect(response.headers[.cacheControl] == "no-store", "\(path)")
        #expect(response.headers[.xContentTypeOptions] == "nosniff", "\(path)")
      }
    }
  }

  @Test("SEC-3: every form without the browser's token is refused and changes nothing")
  func forgery() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      try await browser.get(LoginStore.authorize())
      let attempt = String(browser.path.split(separator: "/")[1])
      let session = browser.cookies["onside_session"]
      for route in store.store.pages
      where route.method == .post && route.path.hasPrefix("/login/") || route == .logOut
        || route.path.hasPrefix("/account") || route == .shopBuy
      {
        let path = route.path.replacing("{attempt}", with: attempt).replacing("{app}", with: "io.example.lumen")
        for csrf in [nil, "", "AAAA", "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE"] {
          try await browser.post(
            path, fields: csrf.map { ["csrf": $0, "country": "DE", "phone": "+31612345600"] } ?? [:])
          #expect(browser.status == .forbidden, "\(path)")
        }
      }
      #expect(browser.cookies["onside_session"] == session)
      try await browser.get("/account")
      #expect(browser.html.contains("•••• 89"))
      await store.messages.deliverDue()
      #expect(store.inbox.messages.count == 1)
    }
  }

  @Test("SEC-3: the token of one browser is no good in another, nor for a request from another site")
  func foreignToken() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let mine = try await Browser(client).get(LoginStore.authorize())
      let theirs = try await Browser(client).get(LoginStore.authorize())
      let token = theirs.page.elements.first { $0["name"] == "csrf" }?["value"] ?? ""
      try await mine.post(mine.path, fields: ["csrf": token, "phone": "+31612345689"])
      #expect(mine.status == .forbidden)
      try await mine.get(LoginStore.authorize())
      mine.headers[.secFetchSite] = "cross-site"
      try await mine.submit(store.attempt(mine), with: ["phone": "+31612345689"])
      #expect(mine.status == .forbidden)
    }
  }

  @Test("SEC-3: a form of an earlier session changes nothing, and its page is shown again")
  func earlierSession() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let (browser, other) = (Browser(client), Browser(client))
      try await store.logIn(browser)
      try await browser.get("/account?ui_locales=de")
      let fields = browser.page.elements.filter { $0["type"] == "hidden" }
        .reduce(into: [String: String]()) { fields, input in fields[input["name"] ?? ""] = input["value"] }
      #expect(fields["form_page"] == "/account?ui_locales=de")
      try await store.logIn(other)
      browser.cookies["onside_session"] = other.cookies["onside_session"]
      try await browser.post(Route.logOut.path, fields: fields)
      #expect(browser.status == .ok && browser.path == "/account?ui_locales=de")
      #expect(browser.html.contains("•••• 89"))
      for page in ["//evil.example", "https://evil.example/", "/\\evil.example"] {
        try await browser.post(Route.logOut.path, fields: ["csrf": "AAAA", "form_page": page])
        #expect(browser.status == .forbidden, "\(page)")
      }
    }
  }

  @Test("SEC-3: a login belongs to the browser that began it")
  func otherBrowser() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let mine = try await Browser(client).get(LoginStore.authorize())
      let theirs = Browser(client)
      try await theirs.get(mine.path)
      #expect(theirs.status == .forbidden)
      #expect(theirs.html.contains("another browser"))
      try await theirs.get(mine.path)
      #expect(theirs.status == .forbidden)
    }
  }

  @Test("SEC-3: a login makes a new session: one that was planted before does not become the victim's")
  func fixation() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      let planted = String(repeating: "A", count: 43)
      browser.cookies["onside_session"] = planted
      try await store.logIn(browser)
      #expect(browser.cookies["onside_session"] != planted)
      let attacker = Browser(client)
      attacker.cookies["onside_session"] = planted
      try await attacker.get("/account")
      #expect(attacker.path.hasPrefix("/login/"))
    }
  }

  @Test("SEC-3: logging out ends the session in the store, not only in the browser")
  func logOut() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      let stolen = browser.cookies["onside_session"]
      try await browser.get("/account")
      try await browser.submit("/logout")
      #expect(browser.cookies["onside_session"] == nil)
      browser.cookies["onside_session"] = stolen
      try await browser.get("/account")
      #expect(browser.path.hasPrefix("/login/"))
    }
  }

  @Test("SEC-3: cookies are out of reach of scripts and other sites, and bound to the host on https")
  func cookies() async throws {
    for (address, prefix) in [(nil, ""), ("https://store.example", "__Host-")] as [(String?, String)] {
      let store = try await LoginStore(publicURL: address)
      try await store.test { client in
        let response = try await client.execute(uri: LoginStore.authorize(), method: .get)
        let cookie = try #require(response.headers[.setCookie])
        #expect(cookie.hasPrefix(prefix + "onside_browser="))
        #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Lax") && cookie.contains("; Path=/"))
        #expect(cookie.contains("; Secure") == (address != nil))
        #expect(!cookie.contains("Domain"))
        #expect((response.headers[.strictTransportSecurity] != nil) == (address != nil))
        let browser = Browser(client)
        try await store.logIn(browser)
        let names = Set(browser.cookies.keys)
        #expect(names == [prefix + "onside_browser", prefix + "onside_session"])
      }
    }
  }

  @Test(
    "SEC-3: a login leads on to a page of this store only",
    arguments: [
      "//evil.example", "https://evil.example", "/\\evil.example", "\\evil.example", "evil", "javascript:alert(1)",
      "/\t/evil.example", "/ok\r\nSet-Cookie: a=b", " /", "",
    ])
  func openRedirect(next: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get("/login".appendingQuery([("next", next)]))
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      try await browser.submit("/code", with: ["code": try await store.code("+31612345689")])
      try await browser.submit("/region", with: ["country": "NL"])
      #expect(browser.leftFor == nil)
      #expect(browser.path == "/")
    }
  }

  @Test("SEC-3: forms may lead to the app's own address and nowhere else")
  func formTargets() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      for (redirect, source) in [
        (LoginStore.redirect, "io.example.lumen:"), ("http://127.0.0.1:4711/callback", "http://127.0.0.1:4711"),
        ("https://lumen.example/cb?x=1", "https://lumen.example"), ("http://[::1]:4711/callback", "http:"),
      ] {
        let browser = try await Browser(client).get(LoginStore.authorize(["redirect_uri": redirect]))
        let policy = browser.response?.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("form-action 'self' \(source);"), "\(policy)")
      }
    }
  }

  @Test("SEC-3: problems on the pages' routes are pages, in the browser's language, without anything of the inside")
  func problems() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      browser.headers[.acceptLanguage] = "de"
      for path in [
        "/shop/nobody", "/login/nothing", "/pay/nothing", "/receipt/nothing", "/methods/nothing", "/refund/nothing",
        "/assets/x",
      ] {
        try await browser.get(path)
        #expect([.notFound, .gone, .forbidden].contains(browser.status), "\(path)")
        #expect(browser.page.all("html").first?["lang"] == "de", "\(path)")
      }
    }
  }

  @Test(
    "An address that is no page, or takes forms only, shows a browser a page with a way on; a program gets a problem")
  func mistyped() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      browser.headers[.acceptLanguage] = "de"
      browser.headers[.accept] = "text/html,application/xhtml+xml"
      for (path, status) in [
        ("/shops", HTTPResponse.Status.notFound), ("/shop/io.example.lumen/x/y", .notFound),
        ("/login/x/resend", .methodNotAllowed),
      ] {
        try await browser.get(path)
        #expect(browser.status == status && browser.page.all("html").first?["lang"] == "de", "\(path)")
        #expect(browser.page.all("a").contains { $0["href"] == "/" && $0["class"]?.contains("button") == true })
        #expect(browser.response?.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
      }
      let problem = try await client.execute(uri: "/shops", method: .get)
      #expect(problem.headers[.contentType]?.hasPrefix("application/problem+json") == true)
    }
  }

  @Test("The stylesheet has a name that changes with it and may be kept for a year")
  func assets() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get("/")
      let path = try #require(browser.page.all("link").first { $0["rel"] == "stylesheet" }?["href"])
      let css = try await client.execute(uri: path, method: .get)
      #expect(css.headers[.contentType] == "text/css; charset=utf-8")
      #expect(css.headers[.cacheControl] == "public, max-age=31536000, immutable")
      let icon = try await client.execute(uri: "/assets/mark.svg", method: .get)
      #expect(icon.headers[.contentType] == "image/svg+xml")
    }
  }
}
