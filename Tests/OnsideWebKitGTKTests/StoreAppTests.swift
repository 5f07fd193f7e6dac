import DesktopSession
import Foundation
import OnsideAPI
import OnsideKit
import OnsideWebKitGTK
import Synchronization
import Testing

@testable import onside_storeapp

@Suite("The store's own app", .needsDisplay, .serialized, .timeLimit(.minutes(5)))
struct StoreAppTests {
  @Test("a login that another app asks for is the store's page, and its answer goes to that app, once")
  func handsOut() async throws {
    let stage = try await Stage { link in "\(link.redirect.absoluteString)?code=c&state=s1" }
    await stage.app.open(stage.link())
    try await stage.until { $0.opened == ["lumen-auth://onside?code=c&state=s1"] }
    try await stage.until { $0.said.last?.contains("Gave the answer to io.example.lumen") == true }
    #expect(stage.asked.count == 1 && stage.asked[0].contains("client_id=io.example.lumen"))
    let actualLink = await stage.app.link
    #expect(actualLink == nil)
    try await stage.shows("Go back to the app")
    await stage.close()
  }

  @Test("an app that has gone is said")
  func noApp() async throws {
    let stage = try await Stage(opens: false) { link in "\(link.redirect.absoluteString)?code=c&state=s1" }
    await stage.app.open(stage.link())
    try await stage.shows("The app could not be opened")
    await stage.close()
  }

  @Test(
    "nothing but the answer to the login that was asked for leaves the window",
    arguments: [
      "lumen-auth://onside?code=c&state=other", "lumen-auth://elsewhere?code=c&state=s1",
      "other-auth://onside?state=s1",
      "onside://authorize?x=1", "file:///etc/passwd", "mailto:a@example.com", "data:text/html,x",
    ])
  func staysInside(address: String) async throws {
    let stage = try await Stage { _ in address }
    await stage.app.open(stage.link())
    try await stage.until { $0.asked.count == 1 }
    // A load that is begun before the redirect was refused ends with it.
    let end = stage.store.appending(path: "end")
    try await NamedDeadline.wait(for: "a page behind the refused redirect") {
      (try? await stage.app.window.load(end)) != nil
    }
    #expect(stage.opened.isEmpty)
    let link = await stage.app.link
    #expect(link != nil)
    await stage.close()
  }

  @Test(
    "a hostile link gets a page that says why, and nothing else",
    arguments: [
      ("onside://authorize", "incomplete"),
      ("onside://launch-missiles", "knows"), ("https://a.example/", "knows"),
      ("onside://authorize?\(Stage.query("lumen-auth://onside"))&iss=https%3A%2F%2Fevil.example", "another store"),
      ("onside://authorize?\(Stage.query("https://evil.example/"))&iss=https%3A%2F%2Fevil.example", "not go to an app"),
    ])
  func hostile(address: String, reason: String) async throws { try await refuses(address, because: reason) }

  @Test("a link that is too long gets a page that says so, and nothing else")
  func tooLong() async throws {
    try await refuses("onside://authorize?" + String(repeating: "a", count: 100_000), because: "too long")
  }

  private func refuses(_ address: String, because reason: String) async throws {
    let stage = try await Stage { _ in "about:blank" }
    await stage.app.open(address)
    try await stage.shows("This link was not followed")
    #expect(try await stage.text().contains(reason))
    #expect(stage.asked.isEmpty && stage.opened.isEmpty)
    await stage.close()
  }

  @Test("each page is in the user's language, whichever way that runs", arguments: StoreAppTexts.all)
  func languages(texts: StoreAppTexts) async throws {
    let stage = try await Stage(languages: ["xx", "\(texts.language)-XX", "en"]) { _ in nil }
    await stage.app.open("onside://authorize")
    try await stage.shows(texts.refused.heading)
    #expect(try await stage.text().contains(texts.reasons.incomplete))
    let result = try await stage.app.window.run("return document.documentElement.lang")
    #expect(result == texts.language)
    let secondResult = try await stage.app.window.run("return getComputedStyle(document.querySelector('p')).direction")
    #expect(secondResult == texts.direction)
    await stage.close()
  }

  @Test("every language has every text, with the app's or the store's name in it, and nothing of another language's")
  func table() throws {
    let store = try #require(URL(string: "https://store.example"))
    let contents: [StoreAppPage.Content] = [
      .answered("<lumen>"), .noApp("<lumen>"), .otherStore("<lumen>"), .refused(.incomplete), .refused(.tooLong),
      .refused(.unknown), .refused(.forbiddenRedirect),
    ]
    for content in contents {
      let pages = StoreAppTexts.all.map { StoreAppPage(content, in: $0, account: store).html }
      #expect(Set(pages).count == 6 && pages.allSatisfy { !$0.contains("{}") && !$0.contains("<lumen>") })
      if case .refused = content { continue }
      #expect(pages.allSatisfy { $0.contains("<bdi>&lt;lumen&gt;</bdi>") })
    }
    #expect(StoreAppTexts.best(of: ["pt-BR", "fr-CA", "de"]).language == "fr")
    #expect(StoreAppTexts.best(of: []).language == "en")
  }

  @Test("a hostile link does not end a login that is under way")
  func hostileMeanwhile() async throws {
    let stage = try await Stage { _ in nil }
    await stage.app.open(stage.link())
    try await stage.shows("The store")
    await stage.app.open("onside://authorize")
    #expect(stage.said.last?.contains("Refused a link") == true)
    let link = await stage.app.link
    #expect(link != nil)
    #expect(try await stage.text().contains("The store"))
    await stage.close()
  }

  /// A store app, and a store whose authorization page leads at once to where the test says, or shows a page.
  final class Stage: Sendable {
    private struct Heard {
      var opened: [String] = []
      var said: [String] = []
      var asked: [String] = []
    }
    let store: URL
    let app: StoreApp
    private let heard: Box
    private let serving: Task<Void, Never>
    private let folder = FileManager.default.temporaryDirectory.appending(path: "onside-\(UUID().uuidString)")

    private final class Box: Sendable {
      let heard = Mutex(Heard())
    }

    var opened: [String] { heard.heard.withLock { $0.opened } }
    var said: [String] { heard.heard.withLock { $0.said } }
    var asked: [String] { heard.heard.withLock { $0.asked } }

    init(
      opens: Bool = true, languages: [String] = [], leadingTo: @escaping @Sendable (AuthorizationLink) -> String?
    ) async throws {
      let server = try LoopbackServer(sleep: Dependencies.liveSleep)
      let heard = Box()
      self.heard = heard
      let store = try #require(URL(string: "http://127.0.0.1:\(server.address("/").port ?? 0)"))
      self.store = store
      let link = try AuthorizationLink("onside://authorize?\(Self.query("lumen-auth://onside"))&iss=\(store)")
      serving = Task {
        let _: Bool? = await server.run { request in
          let page = LoopbackResponse(status: "200 OK", html: "<title>Store</title>The store")
          guard let request, request.url.path() == "/oauth/authorize" else { return (page, nil) }
          heard.heard.withLock { $0.asked.append(request.url.query() ?? "") }
          guard let target = leadingTo(link) else { return (page, nil) }
          return (LoopbackResponse(status: "303 See Other", html: "", location: URL(string: target)), nil)
        }
      }
      app = try await StoreApp(
        store: store, dataFolder: folder, opener: Recorder(heard: heard, opens: opens), languages: languages,
        say: { line in heard.heard.withLock { $0.said.append(line) } })
    }

    private struct Recorder: AppOpener {
      let heard: Box
      let opens: Bool
      func canOpen(_ address: URL) async -> Bool { opens }
      func open(_ address: URL) async -> Bool {
        heard.heard.withLock { $0.opened.append(address.absoluteString) }
        return opens
      }
      func returns() async -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }

    static func query(_ redirect: String) -> String {
      FormEncoding.encode([
        (name: "response_type", value: "code"), (name: "client_id", value: "io.example.lumen"),
        (name: "redirect_uri", value: redirect), (name: "code_challenge", value: "abc"),
        (name: "code_challenge_method", value: "S256"), (name: "state", value: "s1"),
      ])
    }

    /// What an app hands over.
    func link() -> String { "onside://authorize?\(Self.query("lumen-auth://onside"))&iss=\(store)" }

    func text() async throws -> String { try await app.window.run("return document.body.innerText") }

    func shows(_ words: String) async throws {
      try await NamedDeadline.wait(for: "the window to show “\(words)”") {
        (try? await text())?.contains(words) == true
      }
    }

    func until(_ isSo: (Stage) -> Bool) async throws {
      try await NamedDeadline.wait(for: "an address, a line or a request that is waited for") { isSo(self) }
    }

    func close() async {
      await app.window.close()
      serving.cancel()
      try? FileManager.default.removeItem(at: folder)
    }
  }
}
