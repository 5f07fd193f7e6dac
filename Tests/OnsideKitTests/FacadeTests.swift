import Foundation
import Logging
import TestSupport
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct FacadeTests {
  @Test("INI-1: a call before initialize stops with a message that names the missing call")
  func beforeInitialize() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await MainActor.run { _ = Onside.defaultPaymentQueue() }
      })
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("Onside.defaultPaymentQueue() was called before Onside.initialize()"))
  }

  @Test("INI-1: delegate, callbackScheme and appearance may come before initialize, and count afterwards")
  func allowedBefore() async {
    await #expect(processExitsWith: .success) {
      await MainActor.run {
        let world = ClientHarness()
        let delegate = CountryGuess("NL")
        Onside.delegate = delegate
        Onside.callbackScheme = "lumen"
        Onside.appearance().setThemeMode(.dark)
        Onside.initialize(configuration: world.configuration(), dependencies: world.dependencies())
        precondition(Onside.delegate === delegate)
        precondition(Onside.appearance().themeMode == .dark)
        precondition(Onside.handle(url: URL(filePath: "/")) == false)
        precondition(URL(string: "LUMEN://onside?code=x").map(Onside.handle(url:)) == true)
        exit(0)
      }
    }
  }

  @Test("INI-2: a second initialize changes nothing and logs one warning")
  func second() async {
    await #expect(processExitsWith: .success) {
      await MainActor.run {
        let world = ClientHarness()
        Onside.initialize(configuration: world.configuration(), dependencies: world.dependencies())
        let queue = Onside.defaultPaymentQueue()
        let other = ClientHarness()
        Onside.initialize(configuration: other.configuration(), dependencies: other.dependencies())
        precondition(Onside.defaultPaymentQueue() === queue)
        precondition(world.log.lines(.warning).count == 1)
        exit(0)
      }
    }
  }

  @Test("INI-2: a second initialize without a configuration, or with a missing file, does not stop the program")
  func secondOfAnyForm() async {
    await #expect(processExitsWith: .success) {
      await MainActor.run {
        let world = ClientHarness()
        Onside.initialize(configuration: world.configuration(), dependencies: world.dependencies())
        let queue = Onside.defaultPaymentQueue()
        unsetenv("ONSIDE_STORE_URL")
        Onside.initialize()
        Onside.initialize(storeKitConfigurationName: "there is no such file")
        Onside.initialize(configuration: world.configuration())
        precondition(Onside.defaultPaymentQueue() === queue)
        precondition(world.log.lines(.warning).count == 3)
        exit(0)
      }
    }
  }

  @Test("INI-5: initialize without a configuration stops with a message that names the key")
  func withoutConfiguration() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        unsetenv("ONSIDE_STORE_URL")
        await MainActor.run { Onside.initialize() }
      })
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("ONSIDE_STORE_URL"))
  }

  @Test("INI-4: when initialize returns, nothing has been written and no request has been sent")
  func returnsAtOnce() async throws {
    let server = try HTTPServerDouble { _ in .json(503, "") }
    let (world, files) = (ClientHarness(), HeldFiles())
    var dependencies = world.dependencies()
    // What is written comes afterwards, on another thread; if it came now, this would stand still.
    dependencies.files = files
    let client = OnsideClient(configuration: world.configuration(server.url), dependencies: dependencies)
    #expect(!FileManager.default.fileExists(atPath: world.folder.path()))
    #expect(server.requests.isEmpty)
    files.letGo()
    await client.close()
  }

  @Test("ACC-16: with a stored session the storefront is there right after initialize")
  func storefrontAtOnce() async throws {
    let harness = try RemoteHarness()
    try harness.signIn()
    let client = OnsideClient(
      configuration: harness.world.configuration(harness.server.url), dependencies: harness.world.dependencies())
    #expect(client.defaultPaymentQueue().storefront?.countryCode == "NL")
    await client.close()
  }

  @Test("ACC-4: observers hear of the storefront before the login's completion")
  func loginOrder() async {
    let world = ClientHarness()
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    let observer = StorefrontObserver()
    client.defaultPaymentQueue().add(observer: observer)
    store.answerLogin(.success(.alice))
    await withCheckedContinuation { done in
      client.requestLogin { result in
        observer.heard.append("\((try? result.get()) != nil)")
        done.resume()
      }
    }
    #expect(observer.heard == ["NL", "true"])
    client.logout()
    #expect(observer.heard == ["NL", "true", "none"])
    await client.close()
  }

  @Test(
    "ACC-8: an address is ours exactly when it has our scheme and path, compared without case, whatever becomes of it",
    arguments: [
      ("lumen://onside?code=x&state=y", true), ("LuMeN://OnSide/?x", true), ("lumen://onside?claim=short", true),
      ("lumens://onside", false), ("lume://onside", false), ("https://lumen/", false), ("/lumen", false),
      ("lumen:anything", false), ("lumen:onside", false), ("lumen://promo?code=x&state=y", false),
      ("lumen://onside/settings", false), ("lumen://insurance?claim=0123456789abcdef", false),
    ])
  func handle(address: String, expected: Bool) async throws {
    let client = OnsideClient.scripted(StoreDouble(), in: ClientHarness())
    let url = try #require(URL(string: address))
    #expect(!client.handle(url: url))
    client.callbackScheme = "Lumen"
    #expect(client.handle(url: url) == expected)
    #expect(client.defaultPaymentQueue().storefront == nil)
    await client.close()
  }

  @Test("The theme is the delegate's for the screen, else the app's")
  func theme() async {
    let host = OnsideHost()
    #expect(host.theme(of: .login) == .auto)
    host.appearance.setThemeMode(.light)
    let delegate = DarkPayments()
    host.delegate = delegate
    #expect(host.theme(of: .login) == .light)
    #expect(host.theme(of: .payment) == .dark)
  }

  @Test("A client that is closed and let go is deallocated")
  func released() async throws {
    let harness = try RemoteHarness()
    weak var released: OnsideClient?
    do {
      let client = OnsideClient(
        configuration: harness.world.configuration(harness.server.url), dependencies: harness.world.dependencies())
      released = client
      await #expect(throws: OnsideProductsRequestError.appNotRegistered) { try await client.products(for: ["a"]) }
      await client.close()
    }
    #expect(await eventually { released == nil })
  }

  @Test("The delegate is held weakly")
  func weakDelegate() {
    let host = OnsideHost()
    do {
      let delegate = DarkPayments()
      host.delegate = delegate
      #expect(host.delegate === delegate)
    }
    #expect(host.delegate == nil)
  }
}

@MainActor
final class DarkPayments: OnsideDelegate {
  func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode? { screen == .payment ? .dark : nil }
}

@MainActor
final class StorefrontObserver: OnsidePaymentTransactionObserver {
  var heard: [String] = []
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {}
  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {
    heard.append(queue.storefront?.countryCode ?? "none")
  }
}
