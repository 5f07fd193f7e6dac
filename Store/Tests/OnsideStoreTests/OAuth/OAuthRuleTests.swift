import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreWeb

@Suite("OAuth: what is refused, and how", .timeLimit(.minutes(5)))
struct OAuthRuleTests {
  @Test(
    "ACC-9: a loopback address with a port that nothing can listen on is no address of the app's",
    arguments: ["http://127.0.0.1:0/callback", "http://[::1]:0/callback", "http://127.0.0.1:65536/callback"])
  func port(redirect: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get(LoginStore.authorize(["redirect_uri": redirect]))
      #expect(browser.status == .badRequest && browser.leftFor == nil)
    }
    let app = App(id: "a", name: "A", redirectURIs: [redirect])
    #expect(!app.accepts(redirect: redirect))
  }

  @Test(
    "ACC-9: response_mode is query: named so it is honoured, anything else is refused",
    arguments: [("query", String?.none), ("fragment", "invalid_request"), ("form_post", "invalid_request")])
  func responseMode(mode: String, error: String?) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get(LoginStore.authorize(["response_mode": mode]))
      #expect(browser.answer["error"] == error)
      #expect((browser.status == .ok) == (error == nil))
    }
  }

  @Test("ACC-9: what is no form is answered as RFC 6749 has it", arguments: ["/oauth/token", "/oauth/revoke"])
  func notAForm(path: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      for (type, body) in [
        ("application/json", #"{"grant_type":"refresh_token"}"#), ("", ""), ("text/plain", "grant_type=refresh_token"),
        ("application/x-www-form-urlencoded", ""),
      ] {
        let headers: HTTPFields = type.isEmpty ? [:] : [.contentType: type]
        let answer = try await client.execute(
          uri: path, method: .post, headers: headers, body: ByteBuffer(string: body)
        ) { $0 }
        let message = try answer.message(TokenErrorMessage.self)
        let isForm = type.hasSuffix("urlencoded")
        #expect(answer.status == (isForm ? .unauthorized : .badRequest), "\(type)")
        #expect(message.error == (isForm ? "invalid_client" : "invalid_request"), "\(type)")
        #expect(answer.headers[.contentType] == "application/json" && answer.headers[.cacheControl] == "no-store")
      }
    }
  }

  @Test("SEC-3: the token of a form is good in the session that it was made in, and in no other")
  func formToken() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      func token() -> String { browser.page.elements.first { $0["name"] == "csrf" }?["value"] ?? "" }
      try await browser.get(LoginStore.authorize())
      let before = token()
      try await store.logIn(browser)
      try await browser.get("/account")
      let during = token()
      #expect(before != during && !before.isEmpty)
      try await browser.post("/account", fields: ["csrf": before, "country": "DE", "confirmed": "DE"])
      #expect(browser.status == .forbidden)
      try await store.logIn(browser)
      try await browser.post("/account", fields: ["csrf": during, "country": "DE", "confirmed": "DE"])
      #expect(browser.status == .forbidden)
      try await browser.get("/account")
      try await browser.post("/account", fields: ["csrf": token(), "country": "DE", "confirmed": "DE"])
      #expect(browser.path == "/account?saved=1")
    }
  }
}
