import OnsideCommerce
import OnsideStore
import StoreAccounts
import Testing

@Suite("Apps", .timeLimit(.minutes(5)))
struct AppTests {
  private let app = App(
    id: "io.example.lumen", name: "Lumen",
    redirectURIs: ["io.example.lumen://onside", "http://127.0.0.1/callback"], defaultCountry: .netherlands)

  @Test(
    "ACC-9: a redirect matches exactly, and a loopback one on any port and with one more random segment",
    arguments: [
      ("io.example.lumen://onside", true), ("http://127.0.0.1:4711/callback", true),
      ("http://127.0.0.1/callback", true),
      ("io.example.lumen://onside/", false), ("io.example.lumen://onside?x=1", false),
      ("IO.example.lumen://onside", false), ("http://127.0.0.1:4711/callback/more", false),
      ("http://127.0.0.1:4711/callback?x=1", false), ("http://localhost:4711/callback", false),
      ("http://127.0.0.1.evil.example:80/callback", false), ("http://user@127.0.0.1:4711/callback", false),
      ("https://127.0.0.1:4711/callback", false), ("http://127.0.0.1:4711/callback#x", false), ("", false),
      ("http://127.0.0.1:4711/callback/AbCdEfGhIjKlMnOpQrSt-_", true),
      ("http://127.0.0.1:4711/callback/AbCdEfGhIjKlMnOpQrSt-", false),
      ("http://127.0.0.1:4711/callback/AbCdEfGhIjKlMnOpQrSt-_?x=1", false),
      ("http://127.0.0.1:4711/callback/AbCdEfGhIjKlMnOpQrSt-_/", false),
      ("http://127.0.0.1:4711/other/AbCdEfGhIjKlMnOpQrSt-_", false),
      ("http://127.0.0.1:4711/callback/AbCdEfGhIjKlMnOpQr%2F-_", false),
      ("io.example.lumen://onside/AbCdEfGhIjKlMnOpQrSt-_", false),
    ])
  func redirects(address: String, isAccepted: Bool) {
    #expect(app.accepts(redirect: address) == isAccepted)
  }

  @Test("A registered app is found again, also by another process")
  func registers() async throws {
    let store = try await TestStore()
    try await store.core.apps.register(app)
    #expect(store.core.apps.app("io.example.lumen") == app)
    #expect(store.core.apps.app("io.example.other") == nil)
    let other = try await TestStore(in: store.folder)
    #expect(other.core.apps.all == [app])
  }

  @Test("Identifiers and redirects that can never be right are refused", arguments: ["", "a b", "é", "a/b", "a\"b"])
  func refuses(id: String) async throws {
    let store = try await TestStore()
    await #expect(throws: AppRegistrationError.invalidIdentifier(id)) {
      try await store.core.apps.register(App(id: id, name: "x", redirectURIs: []))
    }
  }

  @Test(
    "ACC-9: redirects that run scripts or leave the machine in the clear are refused",
    arguments: [
      "javascript:alert(1)", "data:text/html,x", "http://example.com/", "https://", "onside", "a:b#c", "onside://x",
      "a:\u{E9}",
    ])
  func refusesRedirect(address: String) async throws {
    let store = try await TestStore()
    await #expect(throws: AppRegistrationError.invalidRedirect(address)) {
      try await store.core.apps.register(App(id: "io.example.lumen", name: "x", redirectURIs: [address]))
    }
  }
}
