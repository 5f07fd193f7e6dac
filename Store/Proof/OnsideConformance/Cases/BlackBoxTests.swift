import ConformanceTable
import Crypto
import Foundation
import NIOHTTP1
import OnsideAPI
import Testing

/// Cases for any store, with public HTTP requests only: `onside-conformance --store URL`.
@MainActor
@Suite(
  "Stores from outside", .columns(.store, .running, because: "there is no store over HTTP"), .timeLimit(.minutes(5)))
struct BlackBoxTests {
  private static let redirect = "http://127.0.0.1:49152/callback"

  private static func authorization(_ app: String, changes: [String: String] = [:]) -> [String: String] {
    [
      "response_type": "code", "client_id": app, "redirect_uri": redirect, "state": "state-of-the-test",
      "code_challenge": String(repeating: "c", count: 43), "code_challenge_method": "S256",
    ].merging(changes) { $1 }
  }

  @Test("ACC-9: the metadata of RFC 8414 names its own address, codes with S256, and nothing weaker")
  func metadata() async throws {
    try await RunningStore.use { store in
      let answer = try await store.ask(.GET, Route.authorizationServer.path)
      #expect(answer.status == 200)
      let metadata = try answer.json()
      let issuer = try #require(metadata["issuer"] as? String)
      #expect(issuer == store.address.absoluteString)
      for key in ["authorization_endpoint", "token_endpoint", "revocation_endpoint"] {
        #expect((metadata[key] as? String)?.hasPrefix(issuer) == true, "\(key)")
      }
      #expect(metadata["response_types_supported"] as? [String] == ["code"])
      #expect(metadata["code_challenge_methods_supported"] as? [String] == ["S256"])
    }
  }

  @Test("ACC-9: an app or a return address that the store does not know gets a page, never a redirect")
  func unknownClients() async throws {
    try await RunningStore.use { store in
      var requests = [Self.authorization("no.such.app")]
      if let app = store.app {
        requests += [
          Self.authorization(app, changes: ["redirect_uri": "https://elsewhere.example/callback"]),
          Self.authorization(app, changes: ["redirect_uri": Self.redirect + "/deeper"]),
        ]
      }
      for request in requests {
        let answer = try await store.ask(.GET, Route.authorize.path, query: request)
        #expect(answer.status == 400 && answer.headers.first(name: "location") == nil, "\(request)")
        #expect(answer.headers.first(name: "content-type")?.hasPrefix("text/html") == true, "\(request)")
      }
    }
  }

  @Test("ACC-9: a login without PKCE S256 goes back with an error, the state and the issuer")
  func noProof() async throws {
    try await RunningStore.use { store in
      guard let app = store.app else { return }
      for change in [["code_challenge": ""], ["code_challenge_method": "plain"], ["response_type": "token"]] {
        let answer = try await store.ask(.GET, Route.authorize.path, query: Self.authorization(app, changes: change))
        let location = try #require(answer.headers.first(name: "location").flatMap(URL.init(string:)), "\(change)")
        #expect(location.absoluteString.hasPrefix(Self.redirect))
        #expect(location.values(of: "error").count == 1 && location.values(of: "code").isEmpty)
        #expect(location.values(of: "state") == ["state-of-the-test"])
        #expect(location.values(of: "iss").count == 1)
      }
    }
  }

  @Test("STO-11, HIS-1: the published keys are public ES256 keys, named by their RFC 7638 thumbprints")
  func keys() async throws {
    try await RunningStore.use { store in
      let answer = try await store.ask(.GET, Route.jwks.path)
      let keys = try #require(try answer.json()["keys"] as? [[String: String]])
      #expect(!keys.isEmpty)
      for key in keys {
        #expect(key["kty"] == "EC" && key["crv"] == "P-256" && key["d"] == nil)
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(key["x"] ?? "")","y":"\#(key["y"] ?? "")"}"#
        let digest = Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
        let name = digest.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(key["kid"] == name)
      }
    }
  }

  @Test("STO-4, PRD-5: what cannot be answered is a problem with a stable code, and tells nothing of the inside")
  func problems() async throws {
    try await RunningStore.use { store in
      let app = [WireHeader.app: store.app ?? "no.such.app"]
      var asked: [(RunningStore.Answer, Int, ProblemCode?)] = [
        (try await store.ask(.GET, "/no/such/path"), 404, .notFound),
        (try await store.ask(.POST, Route.jwks.path, body: ""), 405, .methodNotAllowed),
        (
          try await store.ask(
            .GET, Route.products.path, query: ["id": "coins"], headers: [WireHeader.app: "no.such.app"]),
          404, .appNotRegistered
        ),
      ]
      if store.app != nil {
        asked += [
          (
            try await store.ask(.GET, Route.products.path, query: ["id": "a", "country": "XXX"], headers: app), 400,
            .invalidRequest
          )
        ]
      }
      for (answer, status, code) in asked {
        #expect(answer.status == status, "\(answer.text)")
        let problem = try #require(answer.problem, "\(answer.text)")
        if let code { #expect(problem.code == code) }
        for word in ["SELECT", "SQLite", ".swift", "Fatal"] { #expect(!answer.text.contains(word)) }
      }
    }
  }

  @Test("STO-5: a body over the limit is refused, and so is a head")
  func limits() async throws {
    try await RunningStore.use { store in
      let large = String(repeating: "a", count: 3 << 20)
      let body = try? await store.ask(
        .POST, Route.token.path, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: large)
      // The connection may be closed before the last byte is sent.
      if let body { #expect(body.status == 413) }
      let head = try? await store.ask(.GET, Route.health.path, headers: ["X-Long": String(large.prefix(1 << 20))])
      if let head { #expect((400..<500).contains(head.status)) }
      let after = try await store.ask(.GET, Route.health.path)
      #expect(after.status == 200)
    }
  }

  @Test("STO-7, STO-6: without a token no account route answers, and no route of the table fails")
  func anonymous() async throws {
    try await RunningStore.use { store in
      for route in Route.all where route.path != Route.metrics.path {
        let path = route.path.replacing(/\{[a-z_]+\}/, with: "0199c3b2-0000-7000-8000-000000000000")
        let answer = try await store.ask(route.method == .get ? .GET : .POST, path)
        #expect(answer.status < 500, "\(route.path): \(answer.text)")
        guard route.caller == .account else { continue }
        #expect(answer.status == 401 && answer.problem?.code == .notAuthenticated, "\(route.path): \(answer.status)")
      }
    }
  }

  @Test("SEC-3, SEC-2: pages forbid scripts, framing, caching and telling where they came from")
  func pages() async throws {
    try await RunningStore.use { store in
      for path in ["/", "/login/nothing", "/pay/nothing", "/methods/nothing", "/receipt/nothing"] {
        let answer = try await store.ask(.GET, path)
        let policy = answer.headers.first(name: "content-security-policy") ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
        #expect(!policy.contains("unsafe") && !answer.text.contains("<script"), "\(path)")
        #expect(answer.headers.first(name: "x-content-type-options") == "nosniff", "\(path)")
        #expect(answer.headers.first(name: "referrer-policy") == "no-referrer", "\(path)")
        #expect(answer.headers.first(name: "cache-control") == "no-store", "\(path)")
      }
    }
  }

  @Test(
    "SEC-4: the login page says its language and direction, and labels what is to be filled in",
    arguments: ["en", "de", "fr", "es", "nl", "ar"])
  func loginPage(language: String) async throws {
    try await RunningStore.use { store in
      guard let app = store.app else { return }
      let page = try await loginPage(of: store, app: app, headers: ["Accept-Language": language])
      #expect(page.text.contains("<html lang=\"\(language)\""))
      #expect(page.text.contains("dir=\"rtl\"") == (language == "ar"))
      #expect(page.text.contains("<title>") && page.text.contains("<label") && page.text.contains("inputmode=\"tel\""))
    }
  }

  private func loginPage(of store: RunningStore, app: String, headers: [String: String]) async throws
    -> RunningStore.Answer
  {
    let start = try await store.ask(.GET, Route.authorize.path, query: Self.authorization(app), headers: headers)
    let location = try #require(start.headers.first(name: "location"), "\(start.status): \(start.text)")
    let cookie = start.headers["set-cookie"].compactMap { $0.split(separator: ";").first }.joined(separator: "; ")
    let path = URL(string: location)?.path ?? location
    return try await store.ask(.GET, path, headers: headers.merging(["Cookie": cookie]) { $1 })
  }
}
