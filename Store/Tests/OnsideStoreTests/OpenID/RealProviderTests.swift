import Foundation
import ScriptedBrowser
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase

/// Logins with a third-party OpenID provider (idpyoidc) against a store that listens on a socket.
@Suite(
  "OpenID: a third-party provider",
  .enabled(if: RealProvider.isHere, "Python with idpyoidc is missing: script/setup"), .timeLimit(.minutes(5)))
struct RealProviderTests {
  @Test(
    "ACC-9: discovery, PKCE and a signed token make an account, and the same person comes back to it over a new key",
    .timeLimit(.minutes(5)), arguments: ["RSA", "EC"])
  func login(keys: String) async throws {
    let provider = try await RealProvider(keys)
    // The provider uses the machine's clock and the store a manual one, which stands still. That one starts three
    // minutes ahead: ID tokens, valid for five minutes, are neither issued in its future nor expired once it advances.
    let clock = ManualClock(Date().addingTimeInterval(180))
    let store = try await LoginStore(clock: clock) { $0.providers = [provider.configuration] }
    try await store.live { address in
      try await provider.get(
        "/register?redirect_uri=" + (address.absoluteString + "/openid/example/callback").percentEncoded)
      let visit = try await logIn(address)
      var form = try visit.page.form(with: "country")
      form.set("country", to: "FR")
      let end = try await visit.browser.submit(form, of: visit.page)
      #expect(end.departure?.absoluteString.hasPrefix(LoginStore.redirect + "?code=") == true)
      try await provider.get("/rotate")
      let text = try await logIn(address).page.text
      #expect(text.contains("can’t be reached, or its answer can’t be trusted"))
      clock.advance(by: .seconds(61))
      let departure = try await logIn(address).page.departure
      #expect(departure != nil)
      let rows = try await store.store.core.dependencies.database.read {
        try $0.rows("SELECT label FROM identities JOIN accounts ON id = account_id WHERE country = 'FR'")
      }
      let actualRows = try rows.map { try $0.optionalText("label") }
      #expect(actualRows == ["d•••@example.org"])
    }
  }

  @Test("onside doctor's question finds nothing wrong with it", .timeLimit(.minutes(5)))
  func check() async throws {
    let provider = try await RealProvider("RSA")
    try await provider.configuration.check(clock: SystemClock())
    withExtendedLifetime(provider) {}
  }

  /// Logs in with the provider in a new browser.
  private func logIn(_ address: URL) async throws -> Visit {
    let browser = ScriptedBrowser.Browser()
    let first = try await browser.open(
      try #require(URL(string: address.absoluteString + LoginStore.authorize())))
    let link = try #require(
      HTMLScan(first.html).all("a").compactMap { $0["href"] }.first { $0.hasSuffix("/with/example") })
    let page = try await browser.open(try #require(URL(string: address.absoluteString + link)))
    return Visit(browser: browser, page: page)
  }

  private struct Visit {
    let browser: ScriptedBrowser.Browser
    let page: ScriptedBrowser.Browser.Page
  }
}

/// A process of `provider.py`.
struct RealProvider {
  private static let python = ChildServer.path(Repository.root.appending(path: ".build/python/bin/python").path())

  /// Whether `script/setup` has installed Python with idpyoidc.
  static var isHere: Bool {
    let libraries = Repository.root.appending(path: ".build/python/libraries")
    let names = (try? String(contentsOf: libraries, encoding: .utf8)) ?? ""
    return python != nil && names.contains("idpyoidc")
  }

  private let folder: TemporaryFolder
  private let child: ChildServer
  private let issuer: String

  init(_ keys: String) async throws {
    folder = try TemporaryFolder()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "provider.py").path()
    child = try ChildServer(try #require(Self.python), arguments: [script, keys], output: folder.file("provider"))
    issuer = "http://127.0.0.1:" + (try await child.line(0))
  }

  var configuration: OpenIDProvider {
    guard var provider = OpenIDProvider(id: "example") else { preconditionFailure("example is an id") }
    provider.name = "Example ID"
    provider.issuer = issuer
    provider.clientID = "store"
    provider.clientSecret = ConfigurationSecret("s3cret-of-the-store")
    provider.timeout = .seconds(600)
    return provider
  }

  func get(_ path: String) async throws {
    let url = try #require(URL(string: issuer + path))
    let page = try await ScriptedBrowser.Browser().open(url)
    #expect(page.status == 200, "\(child.errors)")
  }
}
