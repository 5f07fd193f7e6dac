import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideKit
import StoreTestSupport
import Testing

/// The samples that deliver goods, unchanged, with the records of the guide.
enum PageSample: CaseIterable, CustomTestStringConvertible {
  case readme, guide

  var testDescription: String { self == .readme ? "README.md" : "docs/web-apps.md" }

  /// The product that it buys.
  var product: String { self == .readme ? "remove_ads" : "coins_100" }

  /// The script, which ends with a purchase.
  @MainActor
  func script() throws -> String {
    self == .guide ? try Guide.shop() : try Guide.records() + "\n" + Guide.readme()
  }
}

@MainActor
@Suite(
  "The samples for web pages that deliver", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: Chromium.path != nil, "needs Chromium"))
struct PageSampleTests {
  private static let page = "<!doctype html><title>Sample</title>"

  @Test(
    "DOC-2: a declined, cancelled or offline purchase delivers nothing, a paid one once, and a refund takes it back",
    arguments: PageSample.allCases)
  func bought(sample: PageSample) async throws {
    try await Stage.visit(Self.page, screens: ClosedScreens()) { stage, chromium in
      try await chromium.prepare()
      for outcome in [PageOutcome.declined, .cancelled] {
        outcome.prepare(stage)
        try await chromium.press(sample)
        #expect(stage.store.transactions().last?.state == .cancelled)
        let goods = try await chromium.goods()
        #expect(goods == [])
      }
      PageOutcome.bought.prepare(stage)
      stage.store.isOffline = true
      await #expect(throws: (any Error).self) { try await chromium.press(sample) }
      stage.store.isOffline = false
      let offline = try await chromium.goods()
      #expect(offline == [] && stage.store.transactions().count == 2)

      try await chromium.press(sample)
      try await stage.allFinished()
      let paid = try await chromium.goods()
      #expect(paid == ["1 \(sample.product)"])
      try await stage.refundLast()
      try await chromium.wait(forGoods: [])
    }
  }

  @Test(
    "DOC-2: a double tap is one order, and delivers one purchase; a restore adds none", arguments: PageSample.allCases)
  func doubleTap(sample: PageSample) async throws {
    try await Stage.visit(Self.page, screens: ClosedScreens()) { stage, chromium in
      try await chromium.prepare()
      _ = try await chromium.run(
        """
        const purchase = onside.purchase;
        onside.purchase = (request) => Promise.all([purchase(request), purchase(request)]);
        return null;
        """)
      try await chromium.press(sample)
      try await stage.allFinished()
      _ = try await chromium.run(Chromium.restore)
      try await stage.lines.until("onRestoreCompletedTransactionsFinished")
      _ = try await chromium.run("\(Chromium.ended) return null;")
      let goods = try await chromium.goods()
      #expect(goods == ["1 \(sample.product)"])
      #expect(stage.store.transactions().map(\.state) == [.purchased])
      let isRestored = stage.lines.value.contains { $0.contains("\(sample.product) restored") }
      #expect(isRestored == (sample == .readme), "consumables are not restored")
    }
  }

  @Test(
    "DOC-2: of two tabs that both receive a purchase, one purchase is delivered, and its refund takes that back",
    arguments: PageSample.allCases)
  func twoTabs(sample: PageSample) async throws {
    try await Stage.visit(Self.page, screens: ClosedScreens()) { stage, chromium in
      try await chromium.prepare()
      try await chromium.listen(sample)
      try await chromium.openTab()
      try await chromium.open(stage.address.page.absoluteString)
      try await chromium.prepare()
      try await chromium.press(sample)
      for tab in 1...2 {
        try await stage.lines.until("tab \(tab)  event   onTransactionsUpdated \(sample.product) purchased")
      }
      try await stage.allFinished()
      let goods = try await chromium.goods()
      #expect(goods == ["1 \(sample.product)"])
      #expect(stage.store.transactions().map(\.state) == [.purchased])
      try await stage.refundLast()
      try await chromium.wait(forGoods: [])
    }
  }

  @Test(
    "DOC-2: a purchase that is refunded before a page has delivered it takes nothing from later purchases",
    arguments: PageSample.allCases)
  func refundedBefore(sample: PageSample) async throws {
    try await Stage.visit(Self.page, screens: ClosedScreens()) { stage, chromium in
      // A page without handlers: the app has the purchase, and no page has delivered it.
      try await chromium.prepare()
      _ = try await chromium.run(
        """
        await onside.loadProducts({ productIdentifiers: ['\(sample.product)'] });
        await onside.purchase({ productIdentifier: '\(sample.product)' });
        while ((await onside.getTransactions())[0]?.transactionState !== 'purchased');
        return null;
        """)
      let first = try #require(stage.store.transactions().last)
      #expect(stage.store.refund(first.id))
      _ = try await chromium.run("\(Chromium.ended) return null;")
      try await chromium.press(sample)
      try await stage.allFinished(except: first.id)
      try await stage.lines.until("event   onTransactionsRevoked \(sample.product)")
      let goods = try await chromium.goods()
      #expect(goods == ["1 \(sample.product)"])
    }
  }

  @Test(
    "DOC-2: a second device gets neither a purchase that the first has finished nor its refund",
    arguments: PageSample.allCases)
  func secondDevice(sample: PageSample) async throws {
    try await Stage.visit(Self.page, screens: ClosedScreens()) { stage, chromium in
      try await chromium.prepare()
      try await chromium.press(sample)
      try await stage.allFinished()
      try await stage.visitOnSecondDevice { second, other in
        try await other.prepare()
        try await other.listen(sample)
        try await stage.refundLast()
        try await chromium.wait(forGoods: [])
        _ = try await other.run(Chromium.restore)
        try await second.lines.until("onRestoreCompletedTransactionsFinished")
        let goods = try await other.goods()
        #expect(goods == [])
        #expect(!second.lines.value.contains { $0.contains("onTransactionsUpdated") || $0.contains("Revoked") })
      }
    }
  }
}

extension Chromium {
  /// Returns when no transaction is unfinished.
  fileprivate static let ended =
    "while ((await onside.getTransactions()).length) await new Promise((go) => setTimeout(go, 10));"

  /// Starts a restore, on a page with a handler for its end: without one the event would wait.
  fileprivate static let restore = """
    onside.onRestoreCompletedTransactionsFinished = () => {};
    await onside.restoreCompletedTransactions();
    return null;
    """

  /// Logs in, and defines the functions that the samples leave to the page.
  fileprivate func prepare() async throws {
    _ = try await run("globalThis.show = () => {}; await onside.requestLogin(); return null;")
  }

  /// Runs a sample as it is, to the end of its purchase.
  fileprivate func press(_ sample: PageSample) async throws {
    let script = try await sample.script()
    _ = try await run("\(script)\n\(Self.ended)\nreturn null;")
  }

  /// Runs a sample whose purchase does nothing.
  fileprivate func listen(_ sample: PageSample) async throws {
    let script = try await sample.script()
    _ = try await run("window.onside.purchase = async () => {};\n\(script)\nreturn null;")
  }

  /// The recorded purchases, each as `1 coins_100`.
  fileprivate func goods() async throws -> [String] {
    let records = try await Guide.records()
    let text = try await run(
      """
      \(records)
      return new Promise((resolve) => {
        const reading = opening.result.transaction('purchases').objectStore('purchases').getAll();
        reading.onsuccess = () => resolve(reading.result.map(({ product, quantity }) => `${quantity} ${product}`));
      });
      """)
    return try JSONDecoder().decode([String].self, from: Data(text.utf8))
  }

  fileprivate func wait(forGoods expected: [String]) async throws {
    try await NamedDeadline.wait(for: "the goods \(expected)") { try await goods() == expected }
  }
}
