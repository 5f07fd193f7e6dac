import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct StoreAppLoginTests {
  let harness: RemoteHarness
  /// A user who logs in wherever a screen is shown.
  let screens = SignInTests.user()

  init() throws { harness = try RemoteHarness() }

  func client(_ apps: OpenerDouble, scheme: String? = "lumen") -> OnsideClient {
    var dependencies = harness.world.dependencies(screens: screens, region: "NL")
    dependencies.apps = apps
    let client = OnsideClient(
      configuration: harness.world.configuration(harness.server.url), dependencies: dependencies)
    client.callbackScheme = scheme
    return client
  }

  /// Asks for a login, and gives it time to reach the store's app.
  func login(_ client: OnsideClient, apps: OpenerDouble, openings: Int = 1) async -> Task<Bool, Never> {
    let task = Task { (try? await client.login()) != nil }
    #expect(await eventually { apps.opened.count == openings })
    return task
  }

  @Test(
    "ACC-7: app-to-app if and only if the store app can be opened, a callback scheme is set and nothing is forced",
    arguments: [true, false], [nil, "lumen"])
  func choice(isInstalled: Bool, scheme: String?) async throws {
    for forced in [false, true] {
      let apps = OpenerDouble(isInstalled: isInstalled)
      let client = client(apps, scheme: scheme)
      let delegate = Forcing(forced)
      client.delegate = delegate
      if isInstalled, scheme != nil, !forced {
        let login = await login(client, apps: apps)
        #expect(client.handle(url: try answer(apps.opened[0])))
        #expect(await login.value && screens.shown.isEmpty)
      } else {
        let shown = screens.shown.count
        try await client.login()
        #expect(apps.opened.isEmpty && screens.shown.count == shown + 1)
      }
      #expect(delegate.asked == 1)
      client.logout()
      await client.close()
    }
  }

  @Test("ACC-7: the choice is made anew at each login")
  func anew() async throws {
    let apps = OpenerDouble(isInstalled: false)
    let client = client(apps)
    try await client.login()
    client.logout()
    apps.install()
    let login = await login(client, apps: apps)
    #expect(client.handle(url: try answer(apps.opened[0])))
    #expect(await login.value)
    #expect(screens.shown.count == 1)
    await client.close()
  }

  @Test("ACC-7: a store app that cannot be opened after all leaves the login to the screen in the app")
  func notOpened() async throws {
    let client = client(OpenerDouble(opens: false))
    try await client.login()
    #expect(screens.shown.count == 1)
    #expect(client.defaultPaymentQueue().storefront?.countryCode == "NL")
    await client.close()
  }

  @Test("ACC-9: the link is the authorization request, bound to app, way back, verifier and store")
  func link() async throws {
    let apps = OpenerDouble()
    let client = client(apps)
    let login = await login(client, apps: apps)
    let link = try AuthorizationLink(apps.opened[0].absoluteString)
    #expect(link.clientID == "io.example.lumen" && link.redirect.absoluteString == "lumen://onside")
    #expect(link.isFor(harness.server.url))
    #expect(apps.opened[0].queryValues(named: "country_hint") == ["NL"])
    #expect(client.handle(url: try answer(apps.opened[0])))
    #expect(await login.value)
    let form = try #require(harness.server.requests("/oauth/token").first).form
    #expect(form["redirect_uri"] == "lumen://onside")
    let verifier = try #require(form["code_verifier"])
    #expect(!apps.opened[0].absoluteString.contains(verifier))
    await client.close()
  }

  @Test(
    "ACC-8: an unknown state changes nothing, a shouted scheme is ours, and a spent callback is ours without effect")
  func callbacks() async throws {
    let apps = OpenerDouble()
    let client = client(apps)
    let login = await login(client, apps: apps)
    let right = try answer(apps.opened[0])
    let forged = try #require(URL(string: "lumen://onside?state=other&code=right"))
    #expect(client.handle(url: forged))
    #expect(harness.server.requests("/oauth/token").isEmpty)
    let shouted = try #require(URL(string: right.absoluteString.replacing("lumen:", with: "LUMEN:")))
    #expect(client.handle(url: shouted))
    #expect(await login.value)
    #expect(client.handle(url: right))
    #expect(harness.server.requests("/oauth/token").count == 1)
    await client.close()
  }

  @Test(
    "ACC-8: an answer of another store, or one that says no, discards the login",
    arguments: ["&code=right&iss=https://evil.example", "&error=access_denied"])
  func refused(more: String) async throws {
    let apps = OpenerDouble()
    let client = client(apps)
    let login = await login(client, apps: apps)
    #expect(client.handle(url: try answer(apps.opened[0], more)))
    #expect(await !login.value)
    #expect(harness.server.requests("/oauth/token").isEmpty && screens.shown.isEmpty)
    await client.close()
  }

  @Test("ACC-10: a login in the store app can be cancelled; its late answer changes nothing, and the next one works")
  func cancelled() async throws {
    let apps = OpenerDouble()
    let client = client(apps)
    let first = await login(client, apps: apps)
    client.cancelLogin()
    #expect(await !first.value)
    let second = await login(client, apps: apps, openings: 2)
    #expect(client.handle(url: try answer(apps.opened[0])))
    #expect(client.defaultPaymentQueue().storefront == nil)
    #expect(client.handle(url: try answer(apps.opened[1])))
    #expect(await second.value)
    await client.close()
  }

  @Test("ACC-10: asked for again, the login joins, and the store's app comes forward with the same request")
  func askedAgain() async throws {
    let apps = OpenerDouble()
    let client = client(apps)
    let first = await login(client, apps: apps)
    harness.world.clock.advance(5)
    let second = await login(client, apps: apps, openings: 2)
    #expect(apps.opened[0] == apps.opened[1])
    #expect(client.handle(url: try answer(apps.opened[0])))
    #expect(await first.value)
    #expect(await second.value)
    await client.close()
  }

  @Test("ACC-10: the user who comes back without an answer has given up", arguments: [true, false])
  func cameBack(byHand: Bool) async throws {
    let apps = OpenerDouble()
    let client = client(apps)
    let login = await login(client, apps: apps)
    // The deadline of the login waits; so does, then, the moment in which an answer may still come.
    #expect(await eventually { harness.world.clock.sleepers >= 1 })
    let sleepers = harness.world.clock.begun
    if byHand { apps.comeBack() }
    if byHand { #expect(await eventually { harness.world.clock.begun > sleepers }) }
    harness.world.clock.advance(byHand ? AppToAppLoginMachine.grace : LoopbackScreen.deadline)
    #expect(await !login.value)
    await client.close()
  }
}

/// An app that forces local login methods, or not.
private final class Forcing: OnsideDelegate {
  private let forces: Bool
  private(set) var asked = 0
  init(_ forces: Bool) { self.forces = forces }

  func onsideShouldForceLocalLoginMethods() -> Bool {
    asked += 1
    return forces
  }
}
