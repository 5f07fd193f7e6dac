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
@testable import StoreWeb

@Suite("How old a browser's session is", .timeLimit(.minutes(5)))
struct SessionAgeTests {
  /// A browser whose session is too old for what asks for a fresh proof.
  private func stale(_ body: @escaping @Sendable (LoginStore, Browser) async throws -> Void) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      store.store.clock.advance(by: .seconds(WebSession.freshness + 60))
      try await browser.get("/account/data")
      #expect(browser.html.contains("prove that it’s you"))
      try await body(store, browser)
    }
  }

  /// When the person behind each session of the store proved who they are.
  private func ages(_ store: LoginStore) async throws -> [Date] {
    try await store.store.core.dependencies.database.read { connection in
      try connection.rows("SELECT created_at FROM web_sessions").map { try $0.date("created_at") }
    }
  }

  @Test("SEC-3: of many logins that go on with one session at once, one does, and its session is no younger")
  func race() async throws {
    try await stale { store, browser in
      var attempts: [String] = []
      for _ in 0..<6 {
        try await browser.get("/account/data")
        try await browser.submit("/account/data")
        attempts.append(String(browser.path.prefix { $0 != "?" }))
      }
      try await browser.get(attempts[0])
      let csrf = browser.page.elements.first { $0["name"] == "csrf" }?["value"] ?? ""
      let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
      let headers: HTTPFields = [.cookie: cookies, .contentType: "application/x-www-form-urlencoded"]
      let (client, before) = (browser.client, try await ages(store))
      let locations = try await withThrowingTaskGroup(of: String?.self) { tasks in
        for attempt in attempts {
          tasks.addTask {
            try await client.execute(
              uri: attempt + "/continue", method: .post, headers: headers, body: ByteBuffer(string: "csrf=\(csrf)")
            ) { $0.headers[.location] }
          }
        }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      #expect(locations.filter { $0 == "/account/data" }.count == 1, "\(locations)")
      let actualAges = try await ages(store)
      #expect(actualAges == before)
    }
  }

  @Test("SEC-3: a login cannot go on with a session that has ended, or with another account's")
  func ended() async throws {
    try await stale { store, browser in
      let session = try #require(browser.cookies["onside_session"])
      let (logins, database) = (store.logins, store.store.core.dependencies.database)
      let now = store.store.clock.now()
      let known = try await database.read(at: now) { try WebSessionRecords.session(session, in: $0) }
      let account = try #require(known).account
      func proceed(_ session: String?, as account: AccountID) async throws -> LoginService.Step {
        let attempt = try await logins.begin(.web(next: "/"), browser: "b", language: .english)
        return try await logins.proceed(attempt, as: account, in: LoginBrowser(session: session))
      }
      let outcome = try await proceed(nil, as: account.id)
      #expect(outcome == .loggedOut)
      let secondOutcome = try await proceed("unknown", as: account.id)
      #expect(secondOutcome == .loggedOut)
      let thirdOutcome = try await proceed(session, as: AccountID(UUID()))
      #expect(thirdOutcome == .loggedOut)
      guard case .done = try await proceed(session, as: account.id) else {
        Issue.record("expected the session to go on")
        return
      }
      let fourthOutcome = try await proceed(session, as: account.id)
      #expect(fourthOutcome == .loggedOut)
    }
  }

  @Test("SEC-3: the session of a new account is as old as the proof, however long its region was thought about")
  func signUp() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get("/login?next=/account/data")
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      try await browser.submit("/code", with: ["code": try await store.code("+31612345689")])
      store.store.clock.advance(by: .seconds(WebSession.freshness + 60))
      try await browser.submit("/region", with: ["country": "NL"])
      #expect(browser.path == "/account/data" && browser.html.contains("prove that it’s you"))
    }
  }

  @Test("SEC-3: a proof makes the session fresh, and the one before it ends")
  func proof() async throws {
    try await stale { store, browser in
      let session = try #require(browser.cookies["onside_session"])
      try await browser.submit("/account/data")
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      try await browser.submit("/code", with: ["code": try await store.code("+31612345689")])
      #expect(browser.path == "/account/data" && browser.html.contains("Download my data"))
      #expect(browser.cookies["onside_session"] != session)
      let actualAges = try await ages(store)
      #expect(actualAges == [store.store.clock.now()])
    }
  }
}
