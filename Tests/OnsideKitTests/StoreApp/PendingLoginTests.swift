import Foundation
import OnsideCommerce
import Synchronization
import TestSupport
import Testing

@testable import OnsideKit

/// Logins whose answer comes to another process than the one that asked.
@Suite(.timeLimit(.minutes(5)))
@MainActor
struct PendingLoginTests {
  let harness: RemoteHarness
  let apps = OpenerDouble()
  let secrets: SecretStoreDouble?

  init() throws {
    secrets = SecretStoreDouble()
    harness = try RemoteHarness(secrets: secrets)
  }

  /// A launch of the app whose screens no user answers.
  func launch(_ harness: RemoteHarness? = nil) -> OnsideClient {
    let harness = harness ?? self.harness
    var dependencies = harness.world.dependencies(region: "NL")
    dependencies.apps = apps
    dependencies.secrets = harness.secrets
    let client = OnsideClient(
      configuration: harness.world.configuration(harness.server.url), dependencies: dependencies)
    client.callbackScheme = "lumen"
    return client
  }

  /// A launch that asks for a login and ends before the answer comes. The link that the store's app got.
  func died() async -> URL {
    let client = launch()
    Task { try? await client.login() }
    #expect(await eventually { apps.opened.count == 1 })
    await client.close()
    #expect(await eventually { self.canTakeOver })
    return apps.opened[0]
  }

  /// Whether no process waits for the answer any more.
  private var canTakeOver: Bool {
    (try? FileLock.takeNow(harness.world.folder.appending(path: "pending-login.lock"))) != nil
  }

  var exchanges: Int { harness.server.requests("/oauth/token").count }

  @Test("ACC-8: an answer that starts the app ends the login: the storefront is there, then observers hear of it")
  func coldStart() async throws {
    let link = await died()
    let client = launch()
    let observer = StorefrontListener(client)
    client.defaultPaymentQueue().add(observer: observer)
    #expect(client.handle(url: try answer(link)))
    #expect(await eventually { observer.heard == ["NL"] })
    let form = try #require(harness.server.requests("/oauth/token").first).form
    #expect(form["redirect_uri"] == "lumen://onside" && form["code_verifier"]?.isEmpty == false)
    try await client.login()
    #expect(apps.opened.count == 1)
    await client.close()
    #expect(launch().defaultPaymentQueue().storefront?.countryCode == "NL")
  }

  @Test("ACC-8: a login right after the start of the app is kept, also when its key comes late")
  func slowKey() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    secrets?.state.withLock { $0.gate = gate }
    let client = launch()
    let login = Task { try? await client.login() }
    // Long enough for a login that does not wait.
    for _ in 0..<1_000 { await Task.yield() }
    open.finish()
    #expect(await eventually { apps.opened.count == 1 })
    let link = try #require(apps.opened.first)
    #expect(await store().awaits(try answer(link)))
    await client.close()
    await login.value
  }

  @Test("ACC-9: the verifier on disk is sealed where the system has a place for its key")
  func sealed() async throws {
    _ = await died()
    let text = try String(contentsOf: harness.world.folder.appending(path: "pending-login.json"), encoding: .utf8)
    #expect(text.contains("sealedVerifier") && !text.contains("\"verifier\""))
    let attributes = try FileManager.default.attributesOfItem(
      atPath: harness.world.folder.appending(path: "pending-login.json").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(
    "ACC-8: an answer with another state, for another redirect, too late or of another store changes nothing",
    arguments: ["state", "redirect", "late", "iss", "refused"])
  func hostile(what: String) async throws {
    let link = await died()
    let client = launch()
    var url = try answer(link)
    switch what {
    case "state": url = try #require(URL(string: "lumen://onside?state=other&code=right"))
    case "redirect": url = try #require(URL(string: url.absoluteString.replacing("//onside", with: "//elsewhere")))
    case "late": harness.world.clock.advance(LoopbackScreen.deadline)
    case "iss": url = try answer(link, "&code=right&iss=https://evil.example")
    default: url = try answer(link, "&error=access_denied")
    }
    #expect(client.handle(url: url) == (what != "redirect"))
    // A login of its own shows that what came before is over.
    let login = Task { try await client.login() }
    #expect(await eventually { apps.opened.count == 2 })
    #expect(exchanges == 0 && client.defaultPaymentQueue().storefront == nil)
    #expect(client.handle(url: try answer(apps.opened[1])))
    try await login.value
    #expect(exchanges == 1)
    await client.close()
  }

  @Test("ACC-8: an answer counts once, however many processes get it and however often")
  func replayed() async throws {
    let url = try answer(await died())
    let clients = (0..<4).map { _ in launch() }
    for client in clients { for _ in 0..<2 { #expect(client.handle(url: url)) } }
    #expect(await eventually { clients.contains { $0.defaultPaymentQueue().storefront != nil } })
    for client in clients { await client.close() }
    let last = launch()
    #expect(last.handle(url: url))
    last.logout()
    #expect(last.handle(url: url))
    #expect(await !self.store().awaits(url))
    #expect(exchanges == 1)
    await last.close()
  }

  @Test("ACC-8: while the process that asked lives, the answer is its own")
  func stillWaiting() async throws {
    let first = launch()
    let login = Task { try await first.login() }
    #expect(await eventually { apps.opened.count == 1 })
    let url = try answer(apps.opened[0])
    let second = launch()
    #expect(second.handle(url: url))
    #expect(await eventually { harness.world.log.text.contains("cannot be ended here") })
    #expect(exchanges == 0)
    #expect(first.handle(url: url))
    try await login.value
    #expect(exchanges == 1 && second.defaultPaymentQueue().storefront == nil)
    await first.close()
    await second.close()
  }

  @Test(
    "ACC-10: giving up a login of one process leaves the one that another process waits for", arguments: [true, false])
  func givenUpBeside(byLogout: Bool) async throws {
    let (first, second) = (launch(), launch())
    let waiting = Task { try await first.login() }
    #expect(await eventually { apps.opened.count == 1 })
    let givenUp = Task { try await second.login() }
    #expect(await eventually { apps.opened.count == 2 })
    if byLogout { second.logout() } else { second.cancelLogin() }
    await #expect(throws: OnsideLoginError.loginDiscarded) { try await givenUp.value }
    #expect(await store().awaits(try answer(apps.opened[0])))
    #expect(first.handle(url: try answer(apps.opened[0])))
    try await waiting.value
    await first.close()
    await second.close()
  }

  @Test("ACC-10: a login that was given up is not ended by a late answer to a later start", arguments: [true, false])
  func givenUp(byUser: Bool) async throws {
    let client = launch()
    let login = Task { try await client.login() }
    #expect(await eventually { apps.opened.count == 1 })
    if byUser {
      #expect(await eventually { harness.world.clock.sleepers >= 1 })
      harness.world.clock.advance(LoopbackScreen.deadline)
    } else {
      client.cancelLogin()
    }
    await #expect(throws: OnsideLoginError.loginDiscarded) { try await login.value }
    #expect(await !store().awaits(try answer(apps.opened[0])))
    await client.close()
  }

  @Test("ACC-14: a key that cannot be had spends nothing: the answer still counts when it can")
  func keyUnavailable() async throws {
    let url = try answer(await died())
    secrets?.set(fault: "there is no session bus")
    let address = try await store().signIn(answeredWith: url)
    #expect(address == nil)
    #expect(exchanges == 0)
    secrets?.set(fault: nil)
    let secondAddress = try await store().signIn(answeredWith: url)
    #expect(secondAddress == .alice)
  }

  @Test("ACC-1: a login requested while an answer is being used joins it")
  func joined() async throws {
    let url = try answer(await died())
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    harness.desk.state.withLock { $0.gate = gate }
    let client = launch()
    #expect(client.handle(url: url))
    #expect(await eventually { exchanges == 1 })
    let login = Task { try await client.login() }
    #expect(await eventually { client.account.waiting.count == 1 })
    open.yield()
    open.finish()
    try await login.value
    #expect(apps.opened.count == 1 && exchanges == 1)
    await client.close()
  }

  @Test("ACC-1: a login that joined an answer that is worth nothing goes on by itself")
  func joinedInVain() async throws {
    let url = try answer(await died(), "&code=wrong")
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    harness.desk.state.withLock { $0.gate = gate }
    let client = launch()
    #expect(client.handle(url: url))
    #expect(await eventually { exchanges == 1 })
    let login = Task { try await client.login() }
    #expect(await eventually { client.account.waiting.count == 1 })
    harness.desk.state.withLock { $0.gate = nil }
    open.finish()
    #expect(await eventually { apps.opened.count == 2 })
    #expect(client.handle(url: try answer(apps.opened[1])))
    try await login.value
    await client.close()
  }

  private func store() -> RemoteStore { harness.store() }
}

/// Hears of changes of the storefront, and looks at it then.
private final class StorefrontListener: OnsidePaymentTransactionObserver {
  private(set) var heard: [String?] = []
  private let client: OnsideClient
  init(_ client: OnsideClient) { self.client = client }

  func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {}
  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {
    heard.append(queue.storefront?.countryCode)
  }
}
