import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreWeb

@Suite("OAuth: authorization", .timeLimit(.minutes(5)))
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
    "ACC-9: an address that is not exactly a registered one is refused, and no browser is redirected to it",
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
      Refusal(changes: ["scope": "openid"], error: "invalid_scope"),
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

  @Test("ACC-9: mix-up: each store names itself in its answer, and a code of one is nothing to another")
  func mixUp() async throws {
    let first = try await LoginStore(publicURL: "https://first.example")
    let second = try await LoginStore(publicURL: "https://second.example")
    try await first.test { client in
      let browser = Browser(client)
      try await first.logIn(browser)
      #expect(browser.answer["iss"] == "https://first.example")
      let code = try #require(browser.answer["code"])
      try await second.test { other in
        let refused = try await LoginStore.token(other, parameters: LoginStore.exchange(code))
        #expect(refused.status == .badRequest)
        let cancelled = try await Browser(other).get(LoginStore.authorize())
        try await cancelled.submit("/cancel")
        #expect(cancelled.answer["iss"] == "https://second.example")
      }
      let status = try await LoginStore.token(client, parameters: LoginStore.exchange(code)).status
      #expect(status == .ok)
    }
  }

  @Test("The metadata names what the server does, and only what it does (RFC 8414)")
  func metadata() async throws {
    let store = try await LoginStore(publicURL: "https://store.example")
    try await store.test { client in
      let response = try await client.execute(uri: "/.well-known/oauth-authorization-server", method: .get)
      #expect(response.headers[.contentType] == "application/json")
      #expect(response.headers[.cacheControl] == "public, max-age=300")
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(response.body.readableBytesView)) as? [String: any Sendable])
      let issuer = "https://store.example"
      for (name, path) in [
        ("issuer", ""), ("authorization_endpoint", "/oauth/authorize"), ("token_endpoint", "/oauth/token"),
        ("revocation_endpoint", "/oauth/revoke"), ("jwks_uri", "/.well-known/jwks.json"),
      ] { #expect(json[name] as? String == issuer + path, "\(name)") }
      for (name, values) in [
        ("response_types_supported", ["code"]), ("response_modes_supported", ["query"]),
        ("grant_types_supported", ["authorization_code", "refresh_token"]),
        ("code_challenge_methods_supported", ["S256"]), ("token_endpoint_auth_methods_supported", ["none"]),
        ("revocation_endpoint_auth_methods_supported", ["none"]),
      ] { #expect(json[name] as? [String] == values, "\(name)") }
      #expect(json["authorization_response_iss_parameter_supported"] as? Bool == true)
    }
  }
}
