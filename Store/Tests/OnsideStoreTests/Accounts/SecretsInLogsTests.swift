import Foundation
import HTTPTypes
import HummingbirdTesting
import InMemoryLogging
import Logging
import NIOCore
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

@Suite("What the log holds", .timeLimit(.minutes(5)))
struct SecretsInLogsTests {
  @Test("SEC-1: phone numbers, codes and tokens appear in no log line and no metric, also when things fail")
  func nothing() async throws {
    let log = InMemoryLogHandler()
    let logger = Logger(label: "test") { _ in
      var handler = log
      handler.logLevel = .trace
      return handler
    }
    let store = try await LoginStore(logger: logger)
    store.inbox.failNext(1)
    try await store.test { client in
      let browser = Browser(client)
      let wrong = Browser(client)
      try await wrong.get(LoginStore.authorize())
      try await wrong.submit(store.attempt(wrong), with: ["phone": "0612345"])
      try await wrong.submit("/login/\(store.attempt(wrong))", with: ["phone": "+31612345600 x"])
      try await browser.get(LoginStore.authorize())
      try await browser.submit(store.attempt(browser), with: ["phone": "+31612345689"])
      await store.messages.deliverDue()
      store.store.clock.advance(by: .seconds(10))
      let code = try await store.code("+31612345689")
      try await browser.submit("/code", with: ["code": "000000"])
      try await browser.submit("/code", with: ["code": code])
      if browser.path.hasSuffix("/region") { try await browser.submit("/region", with: ["country": "NL"]) }
      let grant = try #require(browser.answer["code"])
      let response = try await LoginStore.token(client, parameters: LoginStore.exchange(grant))
      let tokens = try WireCoding.decoder().decode(TokenMessage.self, from: Data(response.body.readableBytesView))
      _ = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken))
      let metrics = try await client.execute(uri: "/metrics", method: .get)
      let written = log.entries.map { "\($0)" }.joined(separator: "\n") + String(buffer: metrics.body)
      #expect(written.contains("/login/{attempt}"))
      for secret in [
        "612345689", "12345689", "612345600", code, grant, tokens.accessToken, tokens.refreshToken,
        LoginStore.verifier, browser.cookies["onside_session"] ?? "?", browser.cookies["onside_browser"] ?? "?",
      ] {
        #expect(!written.contains(secret), "\(secret.prefix(4))…")
      }
    }
  }

  @Test("SEC-1: the database holds no code, and of cookies and codes only hashes")
  func database() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      let secrets = [
        try #require(store.inbox.messages.first?.code), try #require(browser.answer["code"]),
        try #require(browser.cookies["onside_session"]), try #require(browser.cookies["onside_browser"]),
      ]
      let tables = ["login_attempts", "one_time_codes", "web_sessions", "authorization_codes", "sessions", "accounts"]
      for table in tables {
        let rows = try await store.store.core.dependencies.database.read { try $0.rows("SELECT * FROM \(table)") }
        let text = "\(rows)"
        for secret in secrets { #expect(!text.contains("\"\(secret)\""), "\(table)") }
      }
    }
  }
}
