import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization
import TestSupport
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct SignInTests {
  /// A user who logs in; `change` may spoil the answer.
  static func user(_ change: @escaping @Sendable ([String: String]) -> [String: String] = { $0 }) -> ScriptedScreens {
    ScriptedScreens { _, page in
      let answer = change(["state": page.queryValues(named: "state").first ?? "", "code": "right"])
      let query = answer.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
      guard let redirect = URL(string: "lumen://onside") else { return .dismissed }
      return .redirected(redirect.adding(query))
    }
  }

  @Test("ACC-9: a login is an authorization code with PKCE S256 and state, exchanged with the verifier")
  func login() async throws {
    let harness = try RemoteHarness()
    let screens = Self.user()
    let store = harness.store()
    let signedIn = try await store.signIn(screens, options: SignInOptions(countryHint: .netherlands))
    #expect(signedIn == .alice && store.signedIn == .alice)
    let page = try #require(screens.shown.first)
    func value(_ name: String) -> String? { page.queryValues(named: name).first }
    #expect(page.path() == "/oauth/authorize")
    #expect(value("response_type") == "code" && value("client_id") == "io.example.lumen")
    #expect(value("redirect_uri") == "lumen://onside" && value("code_challenge_method") == "S256")
    #expect(value("country_hint") == "NL")
    let form = try #require(harness.server.requests("/oauth/token").first).form
    #expect(form["grant_type"] == "authorization_code" && form["code"] == "right")
    #expect(form["redirect_uri"] == "lumen://onside" && form["client_id"] == "io.example.lumen")
    let verifier = try #require(form["code_verifier"])
    #expect(verifier.count == 43)
    #expect(Base64URL.encode(SHA256.hash(data: Data(verifier.utf8))) == value("code_challenge"))
    #expect(!page.absoluteString.contains(verifier))
  }

  @Test("The page is told to leave providers out when a web page has forced local methods, and only then")
  func localMethods() async throws {
    let harness = try RemoteHarness()
    let screens = Self.user()
    let store = harness.store()
    _ = try await store.signIn(screens, options: SignInOptions(forcesLocalMethods: true, hidesProviders: true))
    _ = try await store.signIn(screens, options: SignInOptions(forcesLocalMethods: true))
    #expect(screens.shown.map { $0.queryValues(named: "login_methods") } == [["local"], []])
  }

  @Test("ACC-9: verifier and state are new for each login")
  func fresh() async throws {
    let harness = try RemoteHarness()
    let screens = Self.user()
    let store = harness.store()
    _ = try await store.signIn(screens, options: SignInOptions())
    _ = try await store.signIn(screens, options: SignInOptions())
    #expect(Set(screens.shown.flatMap { $0.queryValues(named: "state") }).count == 2)
    #expect(Set(screens.shown.flatMap { $0.queryValues(named: "code_challenge") }).count == 2)
  }

  static let spoilt: [[String: String]] = [
    ["state": "other"], ["state": ""], ["code": ""], ["error": "access_denied"], ["iss": "https://evil.example"],
  ]

  @Test(
    "ACC-8: an answer with another state, issuer, an error or no code is no login, and no code is sent",
    arguments: spoilt)
  func spoiltAnswer(change: [String: String]) async throws {
    let harness = try RemoteHarness()
    let store = harness.store()
    let screens = Self.user { $0.merging(change) { _, new in new } }
    let address = try await store.signIn(screens, options: SignInOptions())
    #expect(address == nil)
    #expect(harness.server.requests("/oauth/token").isEmpty)
    #expect(store.signedIn == nil)
  }

  @Test("ACC-9: an answer that names this store as its issuer is taken, as RFC 9207 asks")
  func issuer() async throws {
    let harness = try RemoteHarness()
    let issuer = harness.server.url.absoluteString
    let screens = Self.user { $0.merging(["iss": issuer]) { _, new in new } }
    let address = try await harness.store().signIn(screens, options: SignInOptions())
    #expect(address == .alice)
  }

  @Test("ACC-8: a code that the store refuses, for it is spent, changes nothing")
  func spentCode() async throws {
    let harness = try RemoteHarness()
    try harness.signIn()
    let store = harness.store()
    let screens = Self.user { $0.merging(["code": "spent"]) { _, new in new } }
    await #expect(throws: StoreError.notSignedIn) { try await store.signIn(screens, options: SignInOptions()) }
    #expect(store.signedIn == .alice)
  }

  @Test("ACC-3: a dismissed screen is no login")
  func dismissed() async throws {
    let harness = try RemoteHarness()
    let address = try await harness.store().signIn(NobodyLooks(), options: SignInOptions())
    #expect(address == nil)
  }

  @Test("ACC-16: a restart restores the session without the network")
  func restart() async throws {
    let harness = try RemoteHarness()
    _ = try await harness.store().signIn(Self.user(), options: SignInOptions())
    let asked = harness.server.requests.count
    #expect(harness.store().signedIn == .alice)
    #expect(harness.server.requests.count == asked)
  }

  @Test("ACC-16: a session is of use to its own store and app only")
  func otherStore() async throws {
    let harness = try RemoteHarness()
    try harness.signIn()
    let other = RemoteStore(
      store: harness.server.url, app: "io.example.other", dependencies: harness.world.dependencies())
    #expect(other.signedIn == nil)
    let elsewhere = try #require(URL(string: "https://store.example"))
    let far = RemoteStore(store: elsewhere, app: "io.example.lumen", dependencies: harness.world.dependencies())
    #expect(far.signedIn == nil)
  }

  @Test("ACC-13: a logout works offline and over a restart; the session is revoked when the store is back")
  func logout() async throws {
    let harness = try RemoteHarness()
    try harness.signIn()
    let first = harness.store()
    first.forgetSignIn()
    #expect(first.signedIn == nil)
    await #expect(throws: StoreError.notSignedIn) { try await first.signedHistory() }
    let second = harness.store()
    #expect(second.signedIn == nil)
    #expect(harness.server.requests.isEmpty)
    try await second.revokeForgotten()
    #expect(harness.desk.state.withLock { $0.revoked } == ["refresh-1"])
    try await second.revokeForgotten()
    #expect(harness.desk.state.withLock { $0.revoked }.count == 1)
  }

  @Test("SEC-1: no token, code, verifier or state is logged during a login, a refresh and a logout")
  func logs() async throws {
    let harness = try RemoteHarness()
    let store = harness.store()
    let screens = Self.user()
    _ = try await store.signIn(screens, options: SignInOptions())
    let state = try #require(screens.shown.first?.queryValues(named: "state").first)
    _ = try? await store.signIn(Self.user { $0.merging(["state": "x"]) { _, new in new } }, options: SignInOptions())
    harness.world.clock.advance(1200)
    _ = try? await store.signedHistory()
    store.forgetSignIn()
    let form = try #require(harness.server.requests("/oauth/token").first).form
    let text = harness.world.log.text
    for secret in ["access-", "refresh-", "right", state, try #require(form["code_verifier"])] {
      #expect(!text.contains(secret))
    }
    #expect(text.contains("state"))
  }
}
