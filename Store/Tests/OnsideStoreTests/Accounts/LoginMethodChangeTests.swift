import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase

/// A changed login method ends the account's other sessions and notifies its owner; no session lasts for ever (SEC-5).
@Suite("Changes of login methods, and lifetimes of sessions", .timeLimit(.minutes(5)))
struct LoginMethodChangeTests {
  private static let number = "+31612345689"
  private static let email = "ann@example.org"

  /// An account's app and second browser, and the browser that changes the login methods.
  private struct Devices {
    let app: TokenMessage
    let other: Browser
    let browser: Browser

    init(_ store: LoginStore, _ client: any TestClientProtocol) async throws {
      app = try await store.tokens(client)
      (other, browser) = (Browser(client), Browser(client))
      for device in [other, browser] {
        store.store.clock.advance(by: .seconds(120))
        try await store.logIn(device)
      }
    }

    /// Adds an e-mail address.
    func addAddress(at store: LoginStore) async throws {
      try await browser.get("/account/logins")
      try await browser.submit("/logins/add")
      let links = browser.page.all("a").compactMap { $0["href"] }
      let link = try #require(links.first { $0.contains("with=email") })
      try await browser.get(link.replacing("&amp;", with: "&"))
      try await browser.submit(store.attempt(browser), with: ["email": email])
      try await browser.submit("/code", with: ["code": try await store.code(email)])
      #expect(browser.path == "/account/logins?added=1")
    }
  }

  /// Expects that only the browser that changed the login methods is logged in.
  private static func expectLoggedOut(_ devices: Devices) async throws {
    let client = devices.browser.client
    let headers: HTTPFields = [.authorization: "Bearer \(devices.app.accessToken)"]
    let account = try await client.execute(uri: "/v1/account", method: .get, headers: headers) { $0.status }
    #expect(account == .unauthorized)
    let refresh = try await LoginStore.token(
      client, parameters: LoginStore.refresh(devices.app.refreshToken))
    #expect(refresh.status == .badRequest)
    try await devices.other.get("/account")
    #expect(devices.other.path.hasPrefix("/login"))
    try await devices.browser.get("/account")
    #expect(devices.browser.path == "/account")
  }

  private static func notices(_ store: LoginStore) async throws -> [OutgoingMessage] {
    try await store.store.core.deliverOutbox()
    return store.inbox.messages.filter { $0.id.hasPrefix("notice-") }
  }

  @Test("SEC-5: an added login method ends the account's other sessions, and its other number is notified")
  func added() async throws {
    let store = try await LoginStore { $0.mail.sender = .console }
    try await store.test { client in
      let devices = try await Devices(store, client)
      try await devices.addAddress(at: store)
      try await Self.expectLoggedOut(devices)
      let notices = try await Self.notices(store)
      #expect(notices.map(\.to.text) == [Self.number])
      #expect(notices.first?.text.contains("a•••@example.org can log in to your account") == true)
    }
  }

  @Test("SEC-5: a removed login method ends the account's other sessions; its owner and the others are notified")
  func removed() async throws {
    let store = try await LoginStore { $0.mail.sender = .console }
    try await store.test { client in
      let first = try await Devices(store, client)
      try await first.addAddress(at: store)
      _ = try await Self.notices(store)
      let devices = try await Devices(store, client)
      try await devices.browser.get("/account/logins")
      try await devices.browser.submit("/logins/remove", with: ["identity": Self.number.sha256Base64URL])
      #expect(devices.browser.path == "/account/logins?removed=1")
      try await Self.expectLoggedOut(devices)
      let notices = try await Self.notices(store).filter { $0.text.contains("can no longer log in") }
      #expect(Set(notices.map(\.to.text)) == [Self.number, Self.email])
    }
  }

  @Test("SEC-5: a session that was ended adds no login method, also when it began to do so before")
  func endedSession() async throws {
    let store = try await LoginStore { $0.mail.sender = .console }
    try await store.test { client in
      let devices = try await Devices(store, client)
      let browser = devices.other
      try await browser.get("/account/logins")
      try await browser.submit("/logins/add")
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345600"])
      let code = try await store.code("+31612345600")
      let id = try #require(browser.path.split(separator: "/").dropFirst().first.map(String.init))
      let hash = browser.cookies["onside_browser"]?.sha256Base64URL
      let attempt = try await store.logins.attempt(id, browser: hash)
      try await devices.browser.get("/account")
      try await devices.browser.submit("/account/sessions", with: ["end": "others"])
      let step = try await store.logins.enter(
        code, for: attempt, in: LoginBrowser(session: browser.cookies["onside_session"]))
      #expect(step == .loggedOut)
      let added = try await store.store.core.dependencies.database.read {
        try $0.row("SELECT contact FROM identities WHERE contact = '+31612345600'")
      }
      #expect(added == nil)
    }
  }

  @Test("SEC-5: an app's session ends four years after its login, however often it is refreshed")
  func longestAppSession() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      var token = try await store.tokens(client).refreshToken
      for _ in 0..<14 {
        store.store.clock.advance(by: .seconds(100 * 86_400))
        let response = try await LoginStore.token(client, parameters: LoginStore.refresh(token))
        #expect(response.status == .ok)
        let message = try WireCoding.decoder().decode(
          TokenMessage.self, from: Data(response.body.readableBytesView))
        token = message.refreshToken
      }
      store.store.clock.advance(by: .seconds(60 * 86_400))
      let late = try await LoginStore.token(client, parameters: LoginStore.refresh(token))
      #expect(late.status == .badRequest)
    }
  }

  @Test("SEC-5: a browser's session ends 180 days after its proof, however often it is used")
  func longestBrowserSession() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      for _ in 0..<8 {
        store.store.clock.advance(by: .seconds(20 * 86_400))
        try await browser.get("/account")
        #expect(browser.path == "/account")
      }
      store.store.clock.advance(by: .seconds(20 * 86_400))
      try await browser.get("/account")
      #expect(browser.path.hasPrefix("/login"))
    }
  }
}
