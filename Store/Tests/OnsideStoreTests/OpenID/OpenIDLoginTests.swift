import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import Logging
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

@Suite("Logging in with an OpenID provider", .timeLimit(.minutes(5)))
struct OpenIDLoginTests {
  typealias Body = @Sendable (LoginStore, ProviderDouble, any TestClientProtocol) async throws -> Void

  private func world(
    _ configure: @escaping @Sendable (inout StoreConfiguration) -> Void = { _ in }, _ body: @escaping Body
  ) async throws {
    try await ProviderDouble.run { provider in
      let store = try await LoginStore(clock: provider.clock) { configuration in
        configuration.providers = [provider.configuration()]
        configure(&configuration)
      }
      try await store.test { try await body(store, provider, $0) }
    }
  }

  /// Chooses the provider on a login page, and returns the address of the redirect.
  private func choose(_ browser: Browser) async throws -> String {
    let link = browser.page.all("a").compactMap { $0["href"] }.first { $0.hasSuffix("/with/example") }
    try await browser.get(try #require(link))
    return try #require(browser.leftFor, "\(browser.html)")
  }

  /// Goes through a login up to the redirect from the store to the app.
  private func logIn(_ browser: Browser, at provider: ProviderDouble) async throws {
    try await browser.get(LoginStore.authorize())
    if browser.html.contains("/continue\"") { try await browser.get(browser.path + "?number=other") }
    try await browser.get(provider.answer(to: try await choose(browser)))
    if browser.path.hasSuffix("/region") { try await browser.submit("/region", with: ["country": "BE"]) }
  }

  private func identities(_ store: LoginStore) async throws -> [String] {
    try await store.store.core.dependencies.database.read { connection in
      try connection.rows("SELECT contact FROM identities ORDER BY contact").map { try $0.text("contact") }
    }
  }

  @Test("ACC-9: the question has PKCE, state and nonce of its own, and the exact address to come back to")
  func question() async throws {
    try await world { store, provider, client in
      let browser = try await Browser(client).get(LoginStore.authorize())
      let address = try await choose(browser)
      #expect(address.hasPrefix(provider.issuer + "/authorize?tenant=1&response_type=code&"))
      let fields = FormFields(String(address.split(separator: "?")[1]))
      #expect(fields.single("redirect_uri") == store.store.core.address.issuer + "/openid/example/callback")
      #expect(fields.single("code_challenge_method") == "S256" && fields.single("scope") == "openid email")
      #expect(fields.single("client_id") == "store" && fields["prompt"] == nil && !fields.hasRepetition)
      let secrets = ["state", "nonce", "code_challenge"].compactMap { fields.single($0) }
      #expect(Set(secrets).count == 3 && secrets.allSatisfy { $0.utf8.count == 43 })
      try await browser.get(LoginStore.authorize())
      let again = FormFields(String(try await choose(browser).split(separator: "?")[1]))
      #expect(Set(secrets).isDisjoint(with: ["state", "nonce", "code_challenge"].compactMap { again.single($0) }))
    }
  }

  @Test("ACC-17: a first login makes an account in the region that its person chooses, the app's hint chosen first")
  func signUp() async throws {
    try await world { store, provider, client in
      let browser = try await Browser(client).get(LoginStore.authorize(["country_hint": "FR"]))
      let question = try await choose(browser)
      try await browser.get(provider.answer(to: question))
      #expect(browser.path.hasSuffix("/region"))
      #expect(browser.page.all("option").first { $0["selected"] != nil }?["value"] == "FR")
      try await browser.submit("/region", with: ["country": "BE"])
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect + "?code=") == true)
      let actualIdentities = try await identities(store)
      #expect(actualIdentities == ["openid \(provider.issuer) ann"])
      let asked = provider.state.withLock { $0.tokenRequests[0] }
      #expect(asked.authorization == "Basic " + Data("store:s3cret%2F%2B%26%3A%20%C3%BC".utf8).base64EncodedString())
      let fields = FormFields(String(question.split(separator: "?")[1]))
      #expect(asked.form.single("code_verifier")?.sha256Base64URL == fields.single("code_challenge"))
      #expect(asked.form.single("redirect_uri") == fields.single("redirect_uri") && asked.form["client_secret"] == nil)
      try await logIn(Browser(client), at: provider)
      let row = try await store.store.core.dependencies.database.read { try $0.row("SELECT country FROM accounts") }
      let text = try row?.text("country")
      #expect(text == "BE")
      let identityCount = try await identities(store).count
      #expect(identityCount == 1)
    }
  }

  @Test("An address that the provider names links nothing: the account with that address is another one")
  func noSilentLink() async throws {
    try await world({ $0.mail.sender = .console }) { store, provider, client in
      let email = try #require(Contact(stored: "ann@example.org"))
      let logins = store.logins
      let attempt = try await logins.begin(.web(next: "/"), browser: "b", language: .english)
      _ = try await logins.sendCode(attempt, to: email, source: CodeSource(device: "d", network: "n"))
      _ = try await logins.enter(
        try await store.code("ann@example.org"), for: try await logins.attempt(attempt.id, browser: "b"))
      _ = try await logins.signUp(try await logins.attempt(attempt.id, browser: "b"), country: .netherlands)
      provider.state.withLock { $0.claims = ["email_verified": true, "phone_number": "+31612345689"] }
      try await logIn(Browser(client), at: provider)
      let rows = try await store.store.core.dependencies.database.read {
        try $0.rows("SELECT DISTINCT account_id FROM identities")
      }
      #expect(rows.count == 2)
    }
  }

  @Test("An account gets a provider's login after a proof of both; another account's is refused and nothing merged")
  func link() async throws {
    try await world { store, provider, client in
      let browser = Browser(client)
      try await store.logIn(browser)
      try await browser.get("/account/logins")
      try await browser.submit("/logins/add")
      try await browser.get(provider.answer(to: try await choose(browser)))
      #expect(browser.path == "/account/logins?added=1")
      #expect(browser.html.contains("Example ID") && browser.html.contains("a•••@example.org"))
      let actualIdentities = try await identities(store)
      #expect(actualIdentities == ["+31612345689", "openid \(provider.issuer) ann"])
      let other = Browser(client)
      try await store.logIn(other, phone: "+31612345600")
      try await other.get("/account/logins")
      try await other.submit("/logins/add")
      try await other.get(provider.answer(to: try await choose(other)))
      #expect(other.status == .conflict && other.html.contains("never merged"))
      let identityCount = try await identities(store).count
      #expect(identityCount == 3)
    }
  }

  @Test("setShouldForceLocalLoginMethods: such a login has no provider, neither as a link nor by its address")
  func forced() async throws {
    try await world { _, _, client in
      let browser = try await Browser(client).get(LoginStore.authorize(["login_methods": "local"]))
      #expect(browser.page.element(id: "phone") != nil && !browser.html.contains("/with/"))
      try await browser.get(browser.path + "/with/example")
      #expect(browser.status == .notFound)
    }
    try await world({ $0.messages.sender = .none }) { _, _, client in
      // The provider is shown when it is the only login method: without it no user could log in.
      let browser = try await Browser(client).get(LoginStore.authorize(["login_methods": "local"]))
      #expect(browser.html.contains("/with/example"))
    }
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    var status: HTTPResponse.Status = .badGateway
    var answer: [String: String?] = [:]
    var spoil: @Sendable (inout ProviderDouble.State) -> Void = { _ in }
    var testDescription: String { name }
  }

  static let faults: [Fault] = [
    Fault(name: "the person refused", status: .forbidden, answer: ["code": nil, "error": "access_denied"]),
    Fault(name: "neither code nor error", answer: ["code": nil]),
    Fault(name: "another provider's name", answer: ["iss": "https://evil.example"]),
    Fault(name: "no name, though it is announced", answer: ["iss": nil]),
    Fault(name: "an error in another's name", answer: ["error": "access_denied", "iss": "https://evil.example"]),
    Fault(name: "the code is refused") {
      $0.answers["token"] = json(.badRequest, text: #"{"error":"invalid_grant"}"#)
    },
    Fault(name: "status 500") { $0.answers["token"] = json(.internalServerError, text: "oops") },
    Fault(name: "a redirect") {
      $0.answers["token"] = Response(status: .temporaryRedirect, headers: [.location: "/token2"])
    },
    Fault(name: "garbage") { $0.answers["token"] = json(.ok, text: "\u{0}{]") },
    Fault(name: "no ID token") { $0.answers["token"] = json(.ok, text: #"{"access_token":"a"}"#) },
    Fault(name: "a huge body") {
      $0.answers["token"] = json(.ok, text: String(repeating: " ", count: ProviderHTTP.maximumSize + 1))
    },
    Fault(name: "another nonce") { $0.claims["nonce"] = "other" },
    Fault(name: "another audience") { $0.claims["aud"] = "other" },
    Fault(name: "another issuer") { $0.claims["iss"] = "https://evil.example" },
    Fault(name: "alg none") { $0.header["alg"] = "none" },
    Fault(name: "expired") { $0.claims["exp"] = 1 },
    Fault(name: "an unknown key") { $0.header["kid"] = "nobody's" },
    Fault(name: "keys that are none") { $0.answers["jwks"] = json(.ok, text: "[]") },
    Fault(name: "keys with 500") { $0.answers["jwks"] = json(.internalServerError, text: "{}") },
  ]

  private static func json(_ status: HTTPResponse.Status, text: String) -> Response {
    .bytes(text.utf8, contentType: "application/json", status: status)
  }

  @Test("A failed or false answer of a provider: no session, an error page, other methods remain", arguments: faults)
  func refused(fault: Fault) async throws {
    try await world { store, provider, client in
      provider.state.withLock { fault.spoil(&$0) }
      let browser = try await Browser(client).get(LoginStore.authorize())
      let page = browser.path
      try await browser.get(provider.answer(to: try await choose(browser), fault.answer))
      #expect(browser.status == fault.status, "\(browser.html)")
      #expect(browser.html.contains("Example ID") && browser.cookies["onside_session"] == nil)
      let actualIdentities = try await identities(store)
      #expect(actualIdentities.isEmpty)
      let back = browser.page.all("a").compactMap { $0["href"] }.first { $0.contains("number=other") }
      #expect(back == page + "?number=other")
      try await browser.get(page + "?number=other")
      #expect(browser.page.element(id: "phone") != nil)
    }
  }

  @Test("ACC-8: an answer is good once, in the browser that asked, for the provider that was asked")
  func once() async throws {
    try await world { store, provider, client in
      let mine = try await Browser(client).get(LoginStore.authorize())
      let answer = provider.answer(to: try await choose(mine))
      let theirs = try await Browser(client).get(LoginStore.authorize())
      try await theirs.get(answer)
      #expect(theirs.status == .forbidden && theirs.html.contains("another browser"))
      let stranger = try await Browser(client).get(answer)
      #expect(stranger.status == .forbidden)
      try await mine.get(answer.replacing("/openid/example/", with: "/openid/other/"))
      #expect(mine.status == .notFound)
      #expect(provider.state.withLock { $0.tokenRequests.isEmpty })
      try await mine.get(answer)
      #expect(mine.path.hasSuffix("/region"))
      try await mine.get(answer)
      #expect(mine.status == .gone)
      #expect(provider.state.withLock { $0.tokenRequests.count } == 1)
      for fields in [["state": "other"], ["state": nil], ["state": ""]] as [[String: String?]] {
        try await mine.get(LoginStore.authorize())
        try await mine.get(provider.answer(to: try await choose(mine), fields))
        #expect(mine.status == .gone)
      }
      try await mine.get(LoginStore.authorize())
      try await mine.get(provider.answer(to: try await choose(mine)) + "&code=again")
      #expect(mine.status == .gone)
      let actualIdentities = try await identities(store)
      #expect(actualIdentities.isEmpty)
    }
  }

  @Test("A new key is fetched when a token names it, at most once a minute, and old keys are good no longer")
  func rotation() async throws {
    try await world { store, provider, client in
      try await logIn(Browser(client), at: provider)
      provider.state.withLock { $0.keys = [("second", .init())] }
      let early = try await Browser(client).get(LoginStore.authorize())
      try await early.get(provider.answer(to: try await choose(early)))
      #expect(early.status == .badGateway)
      #expect(provider.state.withLock { $0.asked["jwks"] } == 1)
      store.store.clock.advance(by: .seconds(61))
      let late = Browser(client)
      try await logIn(late, at: provider)
      #expect(late.leftFor?.hasPrefix(LoginStore.redirect) == true)
      #expect(provider.state.withLock { $0.asked["jwks"] } == 2)
      provider.state.withLock { $0.header["kid"] = "first" }
      let old = try await Browser(client).get(LoginStore.authorize())
      try await old.get(provider.answer(to: try await choose(old)))
      #expect(old.status == .badGateway && provider.state.withLock { $0.asked["jwks"] } == 2)
    }
  }

  @Test(
    "A proof asks the provider to ask again; an answer from long ago is none, and a login from long ago proves nothing")
  func proof() async throws {
    try await world { store, provider, client in
      let hour = provider.clock.now().timeIntervalSince1970.rounded() - 3600
      let browser = Browser(client)
      try await logIn(browser, at: provider)
      provider.state.withLock { $0.claims["auth_time"] = hour }
      try await logIn(browser, at: provider)
      try await browser.get("/account/data")
      #expect(browser.html.contains("prove that it’s you"))
      try await browser.submit("/account/data")
      let question = try await choose(browser)
      let fields = FormFields(String(question.split(separator: "?")[1]))
      #expect(fields["prompt"] == "login" && fields["max_age"] == "600")
      try await browser.get(provider.answer(to: question))
      #expect(browser.status == .forbidden && browser.html.contains("hasn’t asked you again"))
      try await browser.get("/account/data")
      #expect(browser.html.contains("prove that it’s you"))
      try await browser.submit("/account/data")
      provider.state.withLock { $0.claims["auth_time"] = hour + 3600 }
      try await browser.get(provider.answer(to: try await choose(browser)))
      #expect(browser.path == "/account/data" && browser.html.contains("Download my data"))
    }
  }

  @Test(
    "A configuration of another issuer, or a weak one, is refused; client_secret_post is used where only it is offered")
  func discovery() async throws {
    try await world { _, provider, client in
      let spoilt: [[String: any Sendable]] = [
        ["issuer": provider.issuer + "/"], ["token_endpoint": "http://id.example/token"],
        ["jwks_uri": "file:///etc/passwd"], ["authorization_endpoint": provider.issuer + "/\r\nSet-Cookie: a=b"],
        ["authorization_endpoint": "javascript:alert(1)"],
        ["id_token_signing_alg_values_supported": ["HS256", "none"]],
        ["code_challenge_methods_supported": ["plain"]], ["response_types_supported": ["token"]],
        ["token_endpoint_auth_methods_supported": ["private_key_jwt"]],
      ]
      for metadata in spoilt {
        provider.state.withLock { $0.metadata = metadata }
        await #expect(throws: OpenIDFailure.self, "\(metadata)") {
          try await provider.configuration().check(clock: ManualClock())
        }
      }
      provider.state.withLock { $0.metadata = ["token_endpoint_auth_methods_supported": ["client_secret_post"]] }
      try await provider.configuration().check(clock: ManualClock())
      try await logIn(Browser(client), at: provider)
      let asked = provider.state.withLock { $0.tokenRequests[0] }
      #expect(asked.authorization == nil && asked.form.single("client_secret") == "s3cret/+&: ü")
    }
  }

  @Test("SEC-3: a new account's session is no fresher than its provider's word: one that does not say is asked again")
  func newAccountAge() async throws {
    try await world { _, provider, client in
      let browser = Browser(client)
      try await logIn(browser, at: provider)
      try await browser.get("/account/data")
      #expect(browser.path == "/account/data" && browser.html.contains("prove that it’s you"))
    }
  }

  @Test("After a deletion no table knows whom the provider vouched for, and the next login makes a new account")
  func deletion() async throws {
    try await world { store, provider, client in
      // A user whose login at the provider is old has to log in once more before a deletion.
      let now = provider.clock.now().timeIntervalSince1970.rounded()
      provider.state.withLock { ($0.claims["sub"], $0.claims["auth_time"]) = ("subject-of-ann", now) }
      let browser = Browser(client)
      try await logIn(browser, at: provider)
      let places = try await store.store.places(of: ["subject-of-ann"])
      #expect(places == ["identities.contact", "login_attempts.phone"])
      try await browser.get("/account/data")
      try await browser.submit("/account/delete", with: ["agreed": "yes"])
      #expect(browser.html.contains("Your account is deleted"))
      let secondPlaces = try await store.store.places(of: ["subject-of-ann", "a•••@example.org"])
      #expect(secondPlaces == [])
      try await browser.get(LoginStore.authorize())
      try await browser.get(provider.answer(to: try await choose(browser)))
      #expect(browser.path.hasSuffix("/region"))
    }
  }

  @Test("The log of a failure names the provider and the reason, and nothing that it was sent or that is personal")
  func log() async throws {
    try await ProviderDouble.run { provider in
      let handler = InMemoryLogHandler()
      let store = try await LoginStore(
        clock: provider.clock, logger: Logger(label: "test", factory: { _ in handler })
      ) { $0.providers = [provider.configuration()] }
      try await store.test { client in
        provider.state.withLock { $0.claims["nonce"] = "other" }
        let browser = try await Browser(client).get(LoginStore.authorize())
        let question = try await choose(browser)
        try await browser.get(provider.answer(to: question, code: "the-code-itself"))
        let text = handler.entries.map { "\($0)" }.joined(separator: "\n")
        #expect(text.contains("another nonce") && text.contains("example"))
        let state = FormFields(String(question.split(separator: "?")[1]))["state"] ?? "?"
        for secret in ["the-code-itself", state, "ann", "s3cret"] { #expect(!text.contains(secret), "\(secret)") }
      }
    }
  }

  @Test("A provider that takes its time is given up on, also when it drips")
  func slow() async throws {
    try await ProviderDouble.run { provider in
      provider.state.withLock { $0.delays["configuration"] = .seconds(600) }
      let client = try #require(
        OpenIDClient(
          provider.configuration(), clock: ManualClock(), http: ProviderHTTP(timeout: .milliseconds(200))))
      await #expect(throws: OpenIDFailure.unreachable("it took longer than 1 s")) { try await client.check() }
      let drip = ResponseBody { writer in
        for _ in 0..<10_000 {
          try await writer.write(ByteBuffer(string: " "))
          try await Task.sleep(for: .milliseconds(60))
        }
        try await writer.finish(nil)
      }
      provider.state.withLock { state in
        state.delays = [:]
        state.answers["configuration"] = Response(status: .ok, body: drip)
      }
      await #expect(throws: OpenIDFailure.unreachable("it took longer than 1 s")) { try await client.check() }
    }
  }
}
