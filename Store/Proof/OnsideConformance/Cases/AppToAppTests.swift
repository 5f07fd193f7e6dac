import ConformanceTable
import Foundation
import OnsideAPI
import OnsideKit
import Testing

@MainActor
@Suite(
  "Logins in the store's own app, over a desktop's own files", .serialized, .timeLimit(.minutes(5)),
  .enabled(
    if: PrivateDesktop.isThere, "xdg-mime or gio is not installed: sudo apt-get install xdg-utils libglib2.0-bin"))
struct AppToAppTests {
  static let scheme = TestedSystem.app

  /// A device on a desktop on which a store app and the app itself are installed, and the user who uses it.
  @MainActor
  private struct Scene {
    let system: TestedSystem
    let desktop: PrivateDesktop
    let user: SimulatedUser
    let device: TestedDevice

    init(_ system: TestedSystem) async throws {
      let desktop = try PrivateDesktop()
      self.system = system
      self.desktop = desktop
      try desktop.install("storeapp", for: "onside")
      try desktop.install("lumen", for: AppToAppTests.scheme)
      try desktop.setDefaults(["onside": "storeapp", AppToAppTests.scheme: "lumen"])
      user = system.user()
      device = try await system.device(of: user) { $0.apps = desktop.opener }
      device.client.callbackScheme = AppToAppTests.scheme
    }

    /// Begins a login.
    func requestLogin(_ name: String) {
      device.client.requestLogin { [app = device.app] in app.hear(.completed("\(name): \($0.name)")) }
    }

    /// Plays the store's app: opens the store's page of a link, where the user logs in, and returns the answer link.
    func consent(to link: URL) async throws -> URL {
      let page = link.absoluteString.replacing("onside://authorize", with: "\(system.network.address)/oauth/authorize")
      let visit = Visit(
        screen: .login, address: try #require(URL(string: page)),
        redirect: try #require(URL(string: TestedSystem.redirect)),
        user: user)
      guard case .redirected(let answer) = try await visit.logIn() else { throw CancellationError() }
      return answer
    }
  }

  @Test(
    "ACC-7: the desktop gives the login to the store's app and its answer back to the app, and no screen is shown",
    .columns(.store, because: "a local login has no other app"))
  func handOver() async throws {
    try await TestedSystem.run { system in
      let scene = try await Scene(system)
      scene.requestLogin("login")
      let link = try await scene.desktop.opened("storeapp", times: 1)
      #expect(link.values(of: "iss") == [system.network.address.absoluteString])
      #expect(await scene.desktop.opener.open(try await scene.consent(to: link)))
      let answer = try await scene.desktop.opened("lumen", times: 1)
      #expect(scene.device.client.handle(url: answer))
      try await scene.device.app.until { $0.completions == ["login: success"] }
      #expect(scene.user.count(.login) == 0 && scene.device.queue.storefront?.countryCode == "NL")
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
    }
  }

  @Test(
    "ACC-7: no store app, no callback scheme, or forced local methods: the screen in the app",
    .columns(.store, because: "a local login has no other app"), arguments: ["store app", "scheme", "delegate"])
  func inTheApp(missing: String) async throws {
    try await TestedSystem.run { system in
      let scene = try await Scene(system)
      switch missing {
      case "store app": try scene.desktop.uninstall("storeapp")
      case "scheme": scene.device.client.callbackScheme = nil
      default: scene.device.app.forcesLocalMethods = true
      }
      try await scene.device.client.login()
      #expect(scene.user.count(.login) == 1 && scene.desktop.opened("storeapp").isEmpty)
    }
  }

  @Test(
    "ACC-9: another program that claims the app's scheme gets a code that is worth nothing; the app's next login works",
    .columns(.store, because: "a local login has no other app"))
  func thief() async throws {
    try await TestedSystem.run { system in
      let scene = try await Scene(system)
      try scene.desktop.install("thief", for: Self.scheme)
      try scene.desktop.setDefaults(["onside": "storeapp", Self.scheme: "thief"])
      scene.requestLogin("first")
      let link = try await scene.desktop.opened("storeapp", times: 1)
      #expect(await scene.desktop.opener.open(try await scene.consent(to: link)))
      let stolen = try await scene.desktop.opened("thief", times: 1)
      #expect(scene.desktop.opened("lumen").isEmpty)
      let (status, body) = try await system.post(
        .token,
        fields: [
          "grant_type": "authorization_code", "code": try #require(stolen.values(of: "code").first),
          "client_id": TestedSystem.app, "redirect_uri": TestedSystem.redirect,
          "code_verifier": String(repeating: "guess-", count: 8),
        ])
      #expect(status == 400 && body.contains("invalid_grant"))

      #expect(scene.device.queue.storefront == nil)
      scene.device.client.cancelLogin()
      try await scene.device.app.until { $0.completions == ["first: loginDiscarded"] }
      try scene.desktop.setDefaults(["onside": "storeapp", Self.scheme: "lumen"])
      scene.requestLogin("second")
      let next = try await scene.desktop.opened("storeapp", times: 2)
      // The store app's browser is a new one, without the first login.
      #expect(await scene.desktop.opener.open(try await scene.consent(to: next)))
      #expect(scene.device.client.handle(url: try await scene.desktop.opened("lumen", times: 1)))
      try await scene.device.app.until { $0.completions.contains("second: success") }
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
    }
  }

  @Test(
    "ACC-10: a store app that never answers: cancelLogin ends the login, a late answer has no effect, the next works",
    .columns(.store, because: "a local login has no other app"))
  func noAnswer() async throws {
    try await TestedSystem.run { system in
      let scene = try await Scene(system)
      scene.requestLogin("first")
      let link = try await scene.desktop.opened("storeapp", times: 1)
      scene.device.client.cancelLogin()
      try await scene.device.app.until { $0.completions == ["first: loginDiscarded"] }
      #expect(scene.device.client.handle(url: try await scene.consent(to: link)))
      #expect(system.network.count(.exchange) == 0 && scene.device.queue.storefront == nil)
      try scene.desktop.uninstall("storeapp")
      try await scene.device.client.login()
      #expect(scene.user.count(.login) == 1 && scene.device.queue.storefront?.countryCode == "NL")
    }
  }
}
