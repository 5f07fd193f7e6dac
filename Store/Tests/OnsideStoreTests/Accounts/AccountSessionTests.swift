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
@testable import StoreWeb

@Suite("Where an account is logged in", .timeLimit(.minutes(5)))
struct AccountSessionTests {
  private static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

  private static func browser(_ client: any TestClientProtocol, userAgent: String? = firefox) -> Browser {
    let browser = Browser(client)
    browser.headers[.userAgent] = userAgent
    return browser
  }

  /// The entries of the page, as text.
  private static func entries(_ browser: Browser) -> [String] {
    let list = browser.page.elements.filter { $0.name == "li" && $0.text.contains("last used") }
    return list.map { $0.text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
  }

  private static func tokens(_ response: TestResponse) throws -> TokenMessage {
    try WireCoding.decoder().decode(TokenMessage.self, from: Data(response.body.readableBytesView))
  }

  private static func status(_ client: any TestClientProtocol, of token: String) async throws -> HTTPResponse.Status {
    let headers: HTTPFields = [.authorization: "Bearer \(token)"]
    return try await client.execute(uri: "/v1/account", method: .get, headers: headers) { $0.status }
  }

  @Test("The account page lists apps and browsers, with device, since when and last use, and marks this browser")
  func list() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Self.browser(client)
      try await store.logIn(browser)
      _ = try await LoginStore.token(client, parameters: LoginStore.exchange(try #require(browser.answer["code"])))
      store.store.clock.advance(by: .seconds(3 * 86400))
      let other = Self.browser(client, userAgent: nil)
      try await store.logIn(other)
      try await browser.get("/account")
      let entries = Self.entries(browser)
      #expect(entries.count == 3)
      let app = try #require(entries.first { $0.contains("Lumen") })
      #expect(app.contains("Firefox, Linux") && app.contains("End"))
      let this = try #require(entries.first { $0.contains("This browser") })
      #expect(this.contains("Firefox, Linux") && !this.contains("End"))
      let today = Texts(.english).day(store.store.clock.now(), in: .netherlands).replacing("\u{00A0}", with: " ")
      #expect(this.contains("last used \(today)"))
      #expect(entries.contains { $0.contains("Unknown device") && !$0.contains("This browser") })
    }
  }

  @Test("ACC-14: an app's login that is ended is refused at once, also its access token")
  func endApp() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Self.browser(client)
      try await store.logIn(browser)
      let code = try #require(browser.answer["code"])
      let tokens = try Self.tokens(try await LoginStore.token(client, parameters: LoginStore.exchange(code)))
      let status = try await Self.status(client, of: tokens.accessToken)
      #expect(status == .ok)
      try await browser.get("/account")
      let id = try #require(browser.page.all("button").compactMap { $0["value"] }.first { $0.hasPrefix("app:") })
      try await browser.submit("/account/sessions", with: ["end": id])
      #expect(browser.html.contains("can no longer use your account"))
      #expect(Self.entries(browser).count == 1)
      let secondStatus = try await Self.status(client, of: tokens.accessToken)
      #expect(secondStatus == .unauthorized)
      let refreshed = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken))
      #expect(refreshed.status == .badRequest)
    }
  }

  @Test("SEC-3: an account cannot end sessions of another one, and a form without the browser's token ends nothing")
  func foreign() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let mine = Self.browser(client)
      let theirs = Self.browser(client)
      try await store.logIn(mine)
      let code = try #require(mine.answer["code"])
      let tokens = try Self.tokens(try await LoginStore.token(client, parameters: LoginStore.exchange(code)))
      let claims = try #require(store.store.core.accessToken.verify(tokens.accessToken, now: store.store.clock.now()))
      try await store.logIn(theirs, phone: "+31687654321")
      try await theirs.get("/account")
      let csrf = theirs.page.elements.first { $0["name"] == "csrf" }?["value"] ?? ""
      let session = try #require(mine.cookies["onside_session"])
      for id in ["app:\(claims.sessionID)", "browser:\(session.sha256Base64URL)", "app:", "x", "others"] {
        try await theirs.post("/account/sessions", fields: ["csrf": csrf, "end": id])
      }
      try await mine.post("/account/sessions", fields: ["csrf": csrf, "end": "others"])
      #expect(mine.status == .forbidden)
      let status = try await Self.status(client, of: tokens.accessToken)
      #expect(status == .ok)
      try await mine.get("/account")
      #expect(Self.entries(mine).count == 2)
    }
  }

  @Test("All others end at once: apps, browsers, and codes that were not exchanged yet; this browser stays")
  func endOthers() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let other = Self.browser(client)
      try await store.logIn(other)
      let tokens = try Self.tokens(
        try await LoginStore.token(client, parameters: LoginStore.exchange(try #require(other.answer["code"]))))
      let browser = Self.browser(client)
      try await store.logIn(browser)
      let waiting = try #require(browser.answer["code"])
      try await browser.get("/account")
      #expect(Self.entries(browser).count == 3)
      try await browser.submit("/account/sessions", with: ["end": "others"])
      #expect(Self.entries(browser).count == 1)
      let status = try await Self.status(client, of: tokens.accessToken)
      #expect(status == .unauthorized)
      let secondStatus = try await LoginStore.token(client, parameters: LoginStore.exchange(waiting)).status
      #expect(secondStatus == .badRequest)
      try await other.get("/account")
      #expect(other.path.hasPrefix("/login/"))
    }
  }

  @Test("A store that starts again, or another process on its database, knows what was ended minutes ago")
  func restart() async throws {
    let folder = try TemporaryFolder()
    let store = try await LoginStore(in: folder)
    try await store.test { client in
      let tokens = try await store.tokens(client)
      let again = try await LoginStore(in: folder, clock: store.store.clock)
      try await again.test { other in
        let status = try await Self.status(other, of: tokens.accessToken)
        #expect(status == .ok)
        _ = try await LoginStore.token(
          client, parameters: ["token": tokens.refreshToken, "client_id": "io.example.lumen"], path: "/oauth/revoke")
        try await again.store.core.reload()
        let secondStatus = try await Self.status(other, of: tokens.accessToken)
        #expect(secondStatus == .unauthorized)
      }
    }
  }

  @Test("A browser that is used stays logged in; one that is not is asked again after thirty days")
  func sliding() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Self.browser(client)
      try await store.logIn(browser)
      for _ in 0..<3 {
        store.store.clock.advance(by: .seconds(20 * 86400))
        try await browser.get("/account")
        #expect(browser.status == .ok && browser.path == "/account")
        #expect(browser.response?.headers[.setCookie]?.contains("Max-Age=2592000") == true)
      }
      try await browser.get("/account")
      #expect(browser.response?.headers[.setCookie] == nil)
      store.store.clock.advance(by: .seconds(31 * 86400))
      try await browser.get("/account")
      #expect(browser.path.hasPrefix("/login/"))
    }
  }

  @Test(
    "Devices have the names that people know",
    arguments: [
      (firefox, "Firefox, Linux"),
      (
        "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Mobile Safari/537.36",
        "Chrome, Android"
      ),
      (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Edg/142.0",
        "Edge, Windows"
      ),
      (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
        "Safari, Linux"
      ),
      ("curl/8.0", nil), (nil, nil), ("", nil), (String(repeating: "\u{0}<script>", count: 999), nil),
    ] as [(String?, String?)])
  func devices(userAgent: String?, name: String?) {
    #expect(DeviceName.of(userAgent) == name)
  }
}
