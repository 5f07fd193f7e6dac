import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Pages of the local store", .timeLimit(.minutes(5)))
struct LocalPageTests {
  @Test("LOC-3, SEC-3: a payment page is escaped, has one script, and may load and lead nowhere else")
  func safe() async throws {
    let harness = try LocalRig()
    _ = try await harness.buy(LocalFile.coins)
    let page = try #require(harness.browser.pages(of: .payment).first)
    #expect(page.html.contains("100 &lt;coins&gt; &amp; &quot;more&quot;"))
    #expect(!page.html.contains("<coins>") && page.html.matches(of: /<script/).count == 1)
    #expect(page.html.contains("<html lang=\"en\">") && page.html.contains("<h1>"))
    let policy = try #require(page.head.split(separator: "\r\n").first { $0.hasPrefix("Content-Security-Policy:") })
    #expect(policy.contains("default-src 'none'; frame-ancestors 'none'; style-src 'sha256-"))
    #expect(policy.contains("script-src 'sha256-") && policy.contains("connect-src 'self'; img-src data:;"))
    #expect(policy.contains("form-action 'self' http://127.0.0.1:9"))
    #expect(page.head.contains("Cache-Control: no-store"))
    await harness.close()
  }

  @Test("Every field of the pages of a login and a payment has a label, and each page two buttons or more")
  func accessible() async throws {
    let harness = try LocalRig(#""_askToBuyEnabled" : true"#)
    _ = try await harness.buy(LocalFile.coins)
    for page in harness.browser.pages {
      for field in page.html.matches(of: /<input id="([^"]+)"/) {
        #expect(page.html.contains("<label for=\"\(field.1)\">"))
      }
      #expect(page.buttons.count >= 2)
    }
    await harness.close()
  }

  @Test("A page answers only under its own path and host, and a form that says nothing cancels")
  func hostile() async throws {
    let harness = try LocalRig(browser: LocalBrowser { _ in .stay })
    async let login: Void? = try? harness.client.login()
    #expect(await eventually { !harness.browser.pages.isEmpty })
    let address = try #require(harness.browser.pages.first?.address)
    var other = try #require(URLComponents(url: address, resolvingAgainstBaseURL: false))
    other.path = "/login"
    let guess = try await LocalBrowser.ask("POST", at: try #require(other.url), body: "act=go&name=Mallory")
    #expect(guess.head.hasPrefix("HTTP/1.1 404"))
    let port = UInt16(try #require(address.port))
    let rebound = try await Peer(port: port).ask("GET \(address.path()) HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    #expect(rebound.hasPrefix("HTTP/1.1 400"))
    _ = try await LocalBrowser.ask("POST", at: address, body: "%%%=&&=&act=%FF")
    #expect(await eventually { harness.world.clock.sleepers > 0 })
    harness.world.clock.advance(LocalScreen.patience)
    let actualLogin: Void? = await login
    #expect(actualLogin == nil)
    #expect(harness.queue.storefront == nil && harness.store.transactions().isEmpty)
    await harness.close()
  }

  @Test("JSB-12: a payment page that is closed cancels within seconds; one that is loaded again does not")
  func closed() async throws {
    let harness = try LocalRig(browser: LocalBrowser { $0.screen == .payment ? .stay : .press("Log in") })
    try await harness.add(LocalFile.coins)
    #expect(await eventually { harness.browser.pages(of: .payment).count == 1 })
    let address = try #require(harness.browser.pages(of: .payment).first?.address)
    var stream: PlatformSocket? = try await open(address)
    stream = nil
    #expect(try await LocalBrowser.ask("GET", at: address).head.hasPrefix("HTTP/1.1 200"))
    stream = try await open(address)
    harness.world.clock.advance(5 * LocalScreen.absence)
    #expect(try await LocalBrowser.ask("GET", at: address).head.hasPrefix("HTTP/1.1 200"))
    #expect(harness.queue.transactions.map(\.transactionState) == [.purchasing])
    withExtendedLifetime(stream) {}
    stream = nil
    let isOver = await eventually {
      harness.world.clock.advance(LocalScreen.absence)
      return harness.watcher.updates.last?.transactionState == .failed
    }
    #expect(isOver && harness.watcher.updates.last?.error == .cancelled)
    await harness.close()
  }

  /// The stream by which a page says that it is there.
  private func open(_ page: URL) async throws -> PlatformSocket {
    let port = UInt16(try #require(page.port))
    let socket = try PlatformSocket.connected(to: port)
    let target = page.path(percentEncoded: true) + "?" + LocalPage.presence
    await socket.write(Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
    let head = String(decoding: await socket.read(upTo: 4096), as: UTF8.self)
    #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("Content-Type: text/event-stream"))
    return socket
  }

  @Test("The page of the subscriptions says what runs, and switches its renewal off and on")
  func subscriptions() async throws {
    let harness = try LocalRig(browser: LocalBrowser { $0.screen == .subscriptions ? .stay : LocalBrowser.agree($0) })
    _ = try await harness.buy(LocalFile.monthly)
    async let shown: Void = harness.client.presentSubscriptionsManager()
    #expect(await eventually { harness.browser.pages(of: .subscriptions).count == 1 })
    let page = try #require(harness.browser.pages(of: .subscriptions).first)
    #expect(page.html.contains("SUBSCRIBED until ") && page.html.contains("Stop renewing"))
    let group = try #require(page.html.firstMatch(of: /name="group" value="([^"]+)"/)).1
    for (renewal, next) in [("off", "Renew again"), ("on", "Stop renewing")] {
      _ = try await LocalBrowser.send(
        [(name: "group", value: String(group)), (name: "renewal", value: renewal)], to: page.address)
      #expect(try await LocalBrowser.ask("GET", at: page.address).body.contains(next))
    }
    _ = try await LocalBrowser.send([], to: page.address)
    // The screen waits for a browser that follows its last redirect; this one does not.
    let time = Task {
      while (try? await Task.sleep(for: .milliseconds(5))) != nil { harness.world.clock.advance(LocalScreen.patience) }
    }
    try await shown
    time.cancel()
    await harness.close()
  }

  @Test("SUB-11: the page for codes leads from the name of an offer to its price and the payment")
  func codes() async throws {
    let harness = try LocalRig(browser: Self.redeemer(thenPays: true))
    try await harness.client.presentCodeRedemption()
    let pages = harness.browser.pages(of: .codeRedemption)
    #expect(pages.count == 3 && pages[1].html.contains("There is no such code."))
    #expect(pages[1].html.contains("value=\"winter\"") && pages[1].html.contains("The .storekit file has: spring."))
    #expect(pages[2].html.contains("Buy for") && pages[2].html.contains("Renews every"))
    let deliveryReason = try await harness.watcher.first(.purchased).deliveryReason
    #expect(deliveryReason == .elsewhere)
    try await harness.client.presentCodeRedemption()
    #expect(harness.browser.pages.last?.html.contains("This offer is not for this account now.") == true)
    await harness.close()
  }

  @Test("SUB-11: who cancels at the payment, or closes the page there, leaves no order that waits")
  func codesCancelled() async throws {
    for end in [LocalBrowser.Act.press("Cancel"), .close] {
      let harness = try LocalRig(browser: Self.redeemer(thenPays: false, end: end))
      try await harness.client.presentCodeRedemption()
      #expect(harness.store.transactions().map(\.state) == [.cancelled])
      await harness.close()
    }
  }

  /// Types a wrong code once, then the right one.
  private static func redeemer(thenPays: Bool, end: LocalBrowser.Act = .press("Cancel")) -> LocalBrowser {
    LocalBrowser { page in
      switch (page.screen, page.html) {
      case (.codeRedemption, let html) where html.contains("Buy for"): thenPays ? .press("Buy") : end
      case (.codeRedemption, let html) where html.contains("not for this account"): .press("Cancel")
      case (.codeRedemption, let html) where html.contains("no such code"): .press("Redeem", ["code": "Spring"])
      case (.codeRedemption, _): .press("Redeem", ["code": "winter"])
      default: LocalBrowser.agree(page)
      }
    }
  }

  @Test("ACC-10: a login whose last redirect the browser never follows settles all the same")
  func lostRedirect() async throws {
    let harness = try LocalRig(browser: LocalBrowser { _ in .stay })
    async let login: Void = harness.client.login()
    #expect(await eventually { !harness.browser.pages.isEmpty })
    let address = try #require(harness.browser.pages.first?.address)
    _ = try await LocalBrowser.send([(name: "name", value: "Alice"), (name: "act", value: "go")], to: address)
    #expect(await eventually { harness.world.clock.sleepers > 0 })
    harness.world.clock.advance(LocalScreen.patience)
    try await login
    #expect(harness.queue.storefront != nil)
    await harness.close()
  }

  @Test("QUE-15: a screen that cannot be shown fails with .presentationFailed")
  func nowhereToShow() async throws {
    struct Nowhere: ScreenPresenter {
      func present(
        _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
      ) async throws -> ScreenOutcome { throw ScreenPresentationError("no window") }
    }
    let world = ClientHarness()
    let seller = try LocalRig(world: world, keeping: false)
    try await seller.client.login()
    await seller.client.close()
    let client = OnsideClient(localStore: seller.store, dependencies: world.dependencies(screens: Nowhere()))
    let watcher = Watcher()
    client.defaultPaymentQueue().add(observer: watcher)
    let product = try #require(try await client.products(for: [LocalFile.coins]).products.first)
    try await client.defaultPaymentQueue().add(OnsidePayment(product: product))
    let firstError = try await watcher.first(.failed).error
    #expect(firstError == .presentationFailed)
    await client.close()
    await seller.close()
  }

  @Test("The theme of the app is the page's", arguments: ["dark", "light"])
  func theme(name: String) throws {
    let redirect = try #require(URL(string: "lumen://onside"))
    let response = LocalPage.login(suggesting: "\"><script>").response(theme: name, redirect: redirect)
    #expect(response.html.contains("<meta name=\"color-scheme\" content=\"\(name)\">"))
    #expect(response.html.matches(of: /<script/).count == 1)
    #expect(response.policy.contains("form-action 'self' lumen://onside"))
  }
}
