import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import Testing

@testable import OnsideStore

@Suite("OAuth: authorization")
struct AuthorizationTests {
  @Test("ACC-9: the app gets a code, its state and the issuer at exactly its address")
  func code() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?code=") == true)
      #expect(browser.answer["state"] == "st&te=1")
      #expect(browser.answer["iss"] == store.store.core.address.issuer)
      #expect(browser.answer["error"] == nil)
    }
  }

  @Test(
    "ACC-9: an address that is not exactly a registered one gets nothing, and nobody is sent there",
    arguments: [
      "io.example.lumen://onside/", "io.example.lumen://onside?x=1", "io.example.lumen://Onside",
      "IO.example.lumen://onside",
      "io.example.lumen://onside/../onside", "io.example.lumen://onside#x", "io.example.lumen://", "evil://onside",
      "io.example.tideline://onside", "https://lumen.example/cb", "https://lumen.example/cb?x=1&y=2",
      "https://lumen.example.evil.example/cb?x=1", "http://lumen.example/cb?x=1", "https://lumen.example:444/cb?x=1",
      "https://user@lumen.example/cb?x=1", "https://evil.example/?https://lumen.example/cb?x=1",
      "http://127.0.0.1:8000/other", "http://127.0.0.1:8000/callback/", "http://127.0.0.1:8000/callback?x=1",
      "http://127.0.0.1.evil.example:8000/callback", "http://127.0.0.2:8000/callback", "http://localhost:8000/callback",
      "https://127.0.0.1:8000/callback", "http://127.0.0.1:8000/callbac\u{212A}", "io.example.lumen://onside\u{0}",
      "http://user@127.0.0.1:8000/callback", "http://127.0.0.1:8000/callback#x",
      "javascript:alert(1)", "//evil.example", "/", " io.example.lumen://onside", "",
    ])
  func redirects(redirect: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get(LoginStore.authorize(["redirect_uri": redirect]))
      #expect(browser.status == .badRequest)
      #expect(browser.leftFor == nil)
      #expect(browser.html.contains("Unknown return address"))
    }
  }

  @Test(
    "ACC-9: a loopback address may have any port (RFC 8252)",
    arguments: ["http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback", "http://[::1]:8000/callback"])
  func loopback(redirect: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get(LoginStore.authorize(["redirect_uri": redirect]))
      #expect(browser.status == .ok)
      try await browser.submit("/cancel")
      #expect(browser.leftFor?.hasPrefix(redirect + "?error=access_denied") == true)
    }
  }

  @Test("ACC-9: an unknown or missing app gets a page, never a redirect", arguments: ["io.example.nobody", "", nil])
  func clients(client id: String?) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get(LoginStore.authorize(["client_id": id]))
      #expect(browser.status == .badRequest)
      #expect(browser.leftFor == nil)
    }
  }

  struct Refusal: Sendable {
    var changes: [String: String?]
    var error: String
  }

  @Test(
    "ACC-9: without PKCE S256 or state the app is told so, at its own address",
    arguments: [
      Refusal(changes: ["code_challenge": nil], error: "invalid_request"),
      Refusal(changes: ["code_challenge": "short"], error: "invalid_request"),
      Refusal(changes: ["code_challenge": String(repeating: "!", count: 43)], error: "invalid_request"),
      Refusal(changes: ["code_challenge_method": "plain"], error: "invalid_request"),
      Refusal(changes: ["code_challenge_method": nil], error: "invalid_request"),
      Refusal(changes: ["state": nil], error: "invalid_request"),
      Refusal(changes: ["state": String(repeating: "s", count: 1025)], error: "invalid_request"),
      Refusal(changes: ["response_type": "token"], error: "unsupported_response_type"),
      Refusal(changes: ["response_type": nil], error: "unsupported_response_type"),
    ])
  func refusals(refusal: Refusal) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get(LoginStore.authorize(refusal.changes))
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?") == true)
      #expect(browser.answer["error"] == refusal.error)
      #expect(browser.answer["iss"] == store.store.core.address.issuer)
      #expect(browser.answer["code"] == nil)
    }
  }

  @Test("ACC-9: a parameter that comes twice is refused", arguments: ["state", "code_challenge"])
  func repeated(name: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Browser(client).get(LoginStore.authorize() + "&\(name)=other")
      #expect(browser.answer["error"] == "invalid_request")
    }
  }

  @Test("ACC-9: a redirect address with a query of its own keeps it")
  func query() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let redirect = "https://lumen.example/cb?x=1"
      let browser = try await Browser(client).get(LoginStore.authorize(["redirect_uri": redirect]))
      try await browser.submit("/cancel")
      #expect(browser.leftFor?.hasPrefix(redirect + "&error=access_denied&") == true)
    }
  }

  @Test("The metadata names what the server does (RFC 8414)")
  func metadata() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let response = try await client.execute(uri: Route.authorizationServer.path, method: .get)
      let json = try JSONSerialization.jsonObject(with: Data(response.body.readableBytesView)) as? [String: Any]
      let issuer = store.store.core.address.issuer
      #expect(json?["issuer"] as? String == issuer)
      #expect(json?["token_endpoint"] as? String == issuer + "/oauth/token")
      #expect(json?["code_challenge_methods_supported"] as? [String] == ["S256"])
      #expect(json?["authorization_response_iss_parameter_supported"] as? Bool == true)
      #expect(json?["response_types_supported"] as? [String] == ["code"])
    }
  }
}
