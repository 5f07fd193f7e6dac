import DesktopSession
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import TestSupport
import Testing

@testable import OnsideWebKitGTK

@Suite("window.onside in WebKitGTK", .needsDisplay, .timeLimit(.minutes(10)))
struct BridgeTests {
  private let app: WebApp
  private let view: ShopView

  init() async throws {
    app = await WebApp()
    view = try await ShopView.open(app.bridge)
  }

  @Test("JSB-1: a page has window.onside, whose functions it can replace, and nothing of the way behind it")
  func surface() async throws {
    try await view.load()
    let script = """
      'use strict';
      const { onside } = window, { purchase } = onside, problems = [];
      onside.purchase = () => 'fake';
      if (window.onside.purchase() !== 'fake') problems.push('not replaced');
      onside.purchase = purchase;
      onside.onStorefrontChanged = () => {};
      delete onside.onStorefrontChanged;
      return [problems.join(), typeof window.webkit, typeof window.onsideReceive, typeof onside.purchase].join(' ');
      """
    let result = try await view.run(script)
    #expect(result == " undefined undefined function")
  }

  @Test(
    "JSB-1: `const { onside } = window` is what a script may begin with, classic or module",
    arguments: ["", " type=\"module\""])
  func firstLine(kind: String) async throws {
    let rest = "onside.getTransactions().then((all) => { document.title = `has ${all.length}` });"
    try await view.load("<script\(kind)>const { onside } = window; \(rest)</script>")
    try await view.until(title: "has 0")
  }

  @Test("JSB-15: a page is told of refunds, also of purchases that are finished, with their dates")
  func refund() async throws {
    try await view.load()
    let script = """
      const finished = new Promise((resolve) => { onside.onTransactionsRemoved = resolve; });
      onside.onTransactionsUpdated = (all) => {
        for (const one of all) if (one.transactionState === 'purchased') onside.finishTransaction(one.id);
      };
      onside.onTransactionsRevoked = ([one]) => {
        document.title = [one.payment.product.productIdentifier, !one.revocationDate,
          Date.parse(one.purchaseDate) > 0].join();
      };
      await onside.initializeOnside('v1');
      await onside.loadProducts({ productIdentifiers: ['no_ads'] });
      await onside.purchase({ productIdentifier: 'no_ads' });
      await finished;
      return '';
      """
    let result = try await view.run(script)
    #expect(result == "")
    try await app.session.expect("no_ads", .finished)
    #expect(app.session.refund("no_ads"))
    try await app.session.settle()
    try await view.until(title: "no_ads,false,true")
  }

  @Test("a page logs in, buys, delivers and finishes; it is told of everything")
  func purchase() async throws {
    try await view.load()
    let script = """
      const seen = [];
      const finished = new Promise((resolve) => {
        onside.onTransactionsUpdated = (transactions) => {
          for (const { id, transactionState } of transactions) {
            seen.push(transactionState);
            if (transactionState === 'purchased') onside.finishTransaction(id);
          }
        };
        onside.onTransactionsRemoved = () => resolve();
      });
      await onside.initializeOnside('v1');
      const { products } = await onside.loadProducts({ productIdentifiers: ['coins'] });
      await onside.purchase(products[0]);
      await finished;
      return seen.join();
      """
    let result = try await view.run(script)
    #expect(result == "purchasing,purchased")
    try await app.session.expect("coins", .finished)
  }

  @Test(
    "JSB-2, JSB-3, JSB-4: the page script, the bridge and the SDK raise errors as documented",
    arguments: [
      ("onside.initializeOnside('v1')", "undefined"),
      ("onside.initializeOnside('v2')", "OnsideBridgeError invalidArguments"),
      ("onside.purchase({ productIdentifier: 'coins' })", #"rejected {"unknownProduct":{}}"#),
      ("onside.finishTransaction('none')", #"rejected {"unknownTransaction":{}}"#),
      ("onside.loadProducts(1n)", "OnsideBridgeError parametersNotRepresentable"),
      ("onside.loadProducts({ get productIdentifiers() { throw 1 } })", "OnsideBridgeError parametersNotRepresentable"),
      ("onside.loadProducts('coins')", "OnsideBridgeError invalidArguments"),
      ("onside.setAppearance('dark')", "undefined"),
    ])
  func outcomes(call: String, outcome: String) async throws {
    try await view.load()
    let result = try await view.call(call)
    #expect(result == outcome)
  }

  /// WebKit's lists know no ports: a page of another port has the object, and every call of it is refused.
  private static let reach = """
    return window.onside ? await onside.getTransactions().then(String, ({ code }) => code) : 'nothing'
    """

  @Test("JSB-13: without origins, the origin of the first page that the app loads is allowed, and no other")
  func firstPage() async throws {
    let view = try await ShopView.openForFirstPage(app.bridge)
    for (address, answer) in [
      (ShopView.home + "/", ""), ("https://other.example/", "nothing"), ("about:blank", "nothing"),
      ("https://shop.example.evil.example/", "nothing"), (ShopView.home + "/cart", ""),
    ] {
      try await view.load(from: address)
      let result = try await view.run(Self.reach)
      #expect(result == answer, "\(address)")
    }
    // A second call changes nothing.
    await OnsideJS.configureOnsideForWebView(view.window, bridge: app.bridge)
    try await view.load(from: "https://other.example/")
    let secondResult = try await view.run(Self.reach)
    #expect(secondResult == "nothing")
  }

  @Test("JSB-13: neither a first page without an origin nor the target of a redirect allows its origin")
  func noFirstOrigin() async throws {
    let blank = try await ShopView.openForFirstPage(app.bridge)
    for address in ["about:blank", ShopView.home + "/"] {
      try await blank.load(from: address)
      let result = try await blank.run(Self.reach)
      #expect(result == "nothing")
    }
    let (door, target) = (
      try LoopbackServer(sleep: Dependencies.liveSleep), try LoopbackServer(sleep: Dependencies.liveSleep)
    )
    let page = LoopbackResponse(status: "200 OK", html: "<!doctype html><title>Page</title>")
    let serving = [
      Task { () -> Bool? in
        await door.run { request in
          (request?.url.path == "/away" ? .redirect(to: target.address("/")) : page, nil)
        }
      }, Task { () -> Bool? in await target.run { _ in (page, nil) } },
    ]
    defer { for server in serving { server.cancel() } }
    let view = try await ShopView.openForFirstPage(app.bridge)
    try await view.window.load(door.address("/away"))
    let secondResult = try await view.run("return location.origin")
    #expect(secondResult == target.address("").absoluteString)
    let thirdResult = try await view.run(Self.reach)
    #expect(thirdResult == "disallowedFrame")
    try await view.window.load(door.address("/"))
    let fourthResult = try await view.run(Self.reach)
    #expect(fourthResult == "")
  }

  @Test(
    "JSB-13: the log says that a page gets nothing because the address that the app loads has no origin",
    arguments: [
      "about:blank", "file:///usr/share/secret.html",
    ])
  func logWithoutOrigin(address: String) async throws {
    let log = LogRecorder()
    let view = try await ShopView.openForFirstPage(try await Self.bridge(loggingTo: log))
    for address in [address, ShopView.home + "/"] { try await view.load(from: address) }
    #expect(log.warnings.count == 1, "\(log.warnings)")
    let scheme = address.prefix { $0 != ":" }
    #expect(log.text.contains("got an address with the scheme \(scheme), which has no origin; name the origins"))
    #expect(!log.text.contains("secret"))
  }

  @Test("JSB-13: the log says that a page gets nothing because of a redirect to another origin, and names both origins")
  func logRedirect() async throws {
    let target = try LoopbackServer(sleep: Dependencies.liveSleep)
    let door = try LoopbackServer(sleep: Dependencies.liveSleep)
    let page = LoopbackResponse(status: "200 OK", html: "<!doctype html><title>Page</title>")
    let serving = [
      Task { () -> Bool? in await door.run { _ in (.redirect(to: target.address("/")), nil) } },
      Task { () -> Bool? in await target.run { _ in (page, nil) } },
    ]
    defer { for server in serving { server.cancel() } }
    let log = LogRecorder()
    let view = try await ShopView.openForFirstPage(try await Self.bridge(loggingTo: log))
    try await view.window.load(door.address("/?token=secret"))
    let origins = [door, target].compactMap { WebOrigin($0.address("").absoluteString)?.description }
    #expect(log.warnings.count == 1, "\(log.warnings)")
    #expect(log.text.contains("expected a first page of \(origins[0]), got \(origins[1]); name the origins"))
    #expect(!log.text.contains("secret"))
  }

  @Test("JSB-13: nothing is logged when the first page comes from the address that the app loads")
  func logNothing() async throws {
    let log = LogRecorder()
    let view = try await ShopView.openForFirstPage(try await Self.bridge(loggingTo: log))
    for address in [ShopView.home + "/", "https://other.example/"] { try await view.load(from: address) }
    #expect(log.warnings.isEmpty, "\(log.warnings)")
  }

  /// The bridge of a local store without products.
  @MainActor
  private static func bridge(loggingTo log: LogRecorder) throws -> OnsideBridge {
    let folder = ProcessFolder.url.appending(path: UUID().uuidString)
    let dependencies = Dependencies.live(storageFolder: folder, logger: log.logger)
    let file = try StoreKitConfiguration.decode(
      Data(#"{"products": [], "version": {"major": 4, "minor": 0}}"#.utf8), path: "Empty")
    return OnsideBridge(
      client: OnsideClient(localStore: LocalStore(file, dependencies: dependencies), dependencies: dependencies))
  }

  @Test("JSB-5: a gate whose page has died says no once its time is over; nothing is bought")
  func silentGate() async throws {
    try await view.load()
    async let outcome = view.call(
      """
      (onside.shouldContinueTransactionAfterLogin = () => new Promise(() => { document.title = 'asked' }),
        onside.loadProducts({ productIdentifiers: ['coins'] })
          .then(() => onside.purchase({ productIdentifier: 'coins' })))
      """)
    try await view.until(title: "asked")
    await view.window.crash()
    _ = try? await outcome
    try await app.session.advance(by: .minutes(2))
    try await app.session.settle()
    #expect(app.session.transactions().isEmpty)
  }

  @Test("JSB-7: a page that comes after a reload knows all transactions, and events have waited for it")
  func reload() async throws {
    try await view.load()
    _ = try await view.call("onside.requestLogin()")
    try await view.load("<title>Next</title>", from: "about:blank")
    #expect(app.session.buy("coins"))
    try await app.session.settle()
    try await view.load("<script>onside.onTransactionsUpdated = (all) => { document.title = all.length }</script>")
    try await view.until(title: "1")
    let states = try await view.call("onside.getTransactions().then((all) => all.map((one) => one.transactionState))")
    #expect(states == #"["purchased"]"#)
  }

  @Test("JSB-8: after the web process has died, the next page works")
  func killed() async throws {
    try await view.load()
    async let lost = view.call("new Promise(() => { document.title = 'waits' })")
    try await view.until(title: "waits")
    await view.window.crash()
    _ = try? await lost
    try await view.load()
    let result = try await view.call("onside.getTransactions()")
    #expect(result == "[]")
  }

  @Test("JSB-8: a window that was closed says so, whatever is asked of it")
  func closed() async throws {
    try await view.load()
    let window = view.window
    await window.close()
    await window.crash()
    await window.closed()
    await #expect(throws: WebViewError.windowClosed) { try await window.run("return ''") }
    await #expect(throws: WebViewError.windowClosed) { try await window.reload() }
    await #expect(throws: WebViewError.windowClosed) { try await window.picture() }
  }

  @Test("JSB-8: a load that waits for its server ends when the web process dies, and when the window is closed")
  func lostLoads() async throws {
    try await view.load()
    // A server that listens, and answers no request.
    let server = try LoopbackServer(sleep: Dependencies.liveSleep)
    for end in [{ @GTKActor in view.window.crash() }, { @GTKActor in view.window.close() }] {
      let load = Task { try await view.window.load(server.address("/")) }
      try await NamedDeadline.wait(for: "the load to begin") { await view.window.isLoading }
      await end()
      await #expect(throws: WebViewError.self) { try await load.value }
    }
  }
}
