import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAnalytics
@testable import StoreBase
@testable import StoreWeb

@Suite(.timeLimit(.minutes(5))) struct LandingPageTests {
  private func cookie(_ browser: Browser) throws -> VisitorCookie {
    let value = try #require(browser.cookies["onside_token"]?.removingPercentEncoding)
    return try JSONDecoder().decode(VisitorCookie.self, from: Data(value.utf8))
  }

  @Test("ATT-1: the visitor's cookie is JSON with a UUID and its time, for six months, extended on each visit")
  func cookie() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let browser = landing.browser(client)
      try await browser.get(LandingStore.path)
      let field = try #require(
        browser.response?.headers[values: .setCookie].first { $0.hasPrefix("onside_token=") })
      #expect(field.hasSuffix("; Path=/; Max-Age=15724800; HttpOnly; SameSite=Lax; Secure"))
      #expect(!field.prefix { $0 != ";" }.contains { "\",\\ ".contains($0) })
      let first = try cookie(browser)
      #expect(first.createdAt == landing.store.clock.now().millisecondsSince1970)
      landing.store.clock.advance(by: .seconds(100 * 86_400))
      try await browser.get(LandingStore.path)
      let actualCookie = try cookie(browser)
      #expect(actualCookie == first)
      #expect(browser.response?.headers[values: .setCookie].contains { $0.hasPrefix("onside_token=") } == true)
    }
  }

  @Test(
    "ATT-1: a cookie that this store cannot have written is replaced",
    arguments: [
      "", "x", "{}", "%", "%7B%22token%22%3A%22x%22%7D", "[[[[[[[[", #"{"token":"1","createdAt":1}"#,
      #"{"token":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c"}"#,
      #"{"token":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","createdAt":-1}"#,
      #"{"token":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","createdAt":1e300}"#,
      #"{"token":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","createdAt":9000000000000000}"#,
      String(repeating: "a", count: 4000),
    ])
  func garbage(value: String) async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let browser = landing.browser(client)
      browser.cookies["onside_token"] = value
      try await browser.get(LandingStore.path)
      #expect(browser.status == .ok)
      let createdAt = try cookie(browser).createdAt
      #expect(createdAt == landing.store.clock.now().millisecondsSince1970)
    }
  }

  @Test("ATT-1: neither a HEAD request nor a browser that loads ahead is a visit")
  func notSeen() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let status = try await client.execute(uri: LandingStore.path, method: .head).status
      #expect(status == .ok)
      let browser = landing.browser(client)
      browser.headers[try #require(HTTPField.Name("Sec-Purpose"))] = "prefetch;prerender"
      try await browser.get(LandingStore.path)
      let landingCount = try await landing.count("attribution_visits")
      #expect(landingCount == 0)
      try await browser.submit("/install")
      #expect(browser.leftFor == "https://lumen.example/get?from=store", "the button leads there without a token")
    }
    let labels = try await landing.labels()
    #expect(labels == ["install_button_tapped -"])
  }

  @Test("SEC-3: the button leads to the registered address and nowhere else, whatever the page's address asks")
  func redirects() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      for query in [
        "install_uri=https://evil.example", "redirect_uri=javascript:alert(1)", "return_uri=//evil.example",
        "next=https://evil.example&claim=mine",
      ] {
        let browser = landing.browser(client)
        try await browser.get("/a/io.example.lumen?\(query)")
        #expect(
          browser.leftFor == nil
            && !browser.page.elements.contains { [$0["href"], $0["action"]].contains { $0?.contains("evil") == true } })
        try await browser.submit("/install", with: ["install_uri": "https://evil.example", "claim": "mine"])
        #expect(browser.leftFor?.hasPrefix("https://lumen.example/get?from=store&claim=") == true)
        #expect(browser.answer["claim"] != "mine")
      }
      let own = landing.browser(client)
      let claim = try await landing.claim(own, path: "/a/io.example.tideline")
      #expect(own.leftFor == "io.example.tideline://onside?claim=\(claim)")
      try await own.get("/a/io.example.unknown")
      #expect(own.status == .notFound)
    }
  }

  @Test("SEC-3, ATT-2: a browser gets no token for the visit of another browser, nor without the page's form")
  func othersVisit() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let alice = landing.browser(client)
      try await alice.get(LandingStore.path)
      let visit = try #require(alice.page.elements.first { $0["name"] == "visit" }?["value"])
      let mallory = landing.browser(client)
      try await mallory.get(LandingStore.path)
      try await mallory.submit("/install", with: ["visit": visit])
      #expect(mallory.answer["claim"] == nil)
      try await mallory.get("/a/io.example.tideline")
      try await mallory.submit("/install", with: ["visit": visit])
      #expect(mallory.answer["claim"] == nil)
      try await landing.browser(client).post("/a/io.example.lumen/install", fields: ["visit": visit])
      let forged = landing.browser(client)
      try await forged.get(LandingStore.path)
      try await forged.post("/a/io.example.lumen/install", fields: ["visit": visit, "csrf": "x"])
      #expect(forged.status == .forbidden && forged.leftFor == nil)
    }
  }

  @Test("ATT-1: an address of any length and any characters is taken as it came, or without its query")
  func addresses() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      for (query, kept) in [
        ("utm_source=%22%3E%3Cscript%3E&x=%00%0D%0A", true), ("q=" + String(repeating: "a", count: 3000), true),
        ("q=" + String(repeating: "a", count: 5000), false), ("%%%&&==&gclid=%ZZ", true),
        ((0..<200).map { "p\($0)=1" }.joined(separator: "&"), true),
      ] {
        let path = "/a/io.example.lumen?\(query)"
        let browser = landing.browser(client)
        let claim = try await landing.claim(browser, path: path)
        #expect(!browser.html.contains("<script>"))
        let told = try await landing.ask(client, installation: landing.installation(), claim: claim)
        #expect(told == "https://store.example" + (kept ? path : "/a/io.example.lumen"))
      }
    }
  }

  @Test("A flood of visits from one network is shown the page, and not all of it is kept")
  func flood() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      for _ in 0..<130 {
        let browser = try await landing.browser(client).get(LandingStore.path)
        #expect(browser.status == .ok)
      }
    }
    let landingCount = try await landing.count("attribution_visits")
    #expect(landingCount == 120)
  }
}
