import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideKit
import Testing

/// The example shop in Chromium, served by the host itself.
@MainActor
@Suite(
  "The web shop in Chromium", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: Chromium.path != nil, "needs Chromium"))
struct ShopTests {
  private func visit(_ body: @escaping @MainActor (Stage, Chromium) async throws -> Void) async throws {
    try await Stage.run(.folder(Stage.shop)) { stage in
      let chromium = try await Chromium.start()
      do {
        try await chromium.show(width: 390)
        try await chromium.open(stage.address.page.absoluteString)
        try await chromium.wait(until: "document.querySelectorAll('[data-product]').length === 5")
        try await body(stage, chromium)
        await chromium.stop()
      } catch {
        await chromium.stop()
        throw error
      }
    }
  }

  private func buy(_ product: String, in chromium: Chromium) async throws {
    let button = "document.querySelector('[data-product=\(product)] button')"
    let _: Bool = try await chromium.evaluate("\(button).click(), true")
  }

  private func answer(_ id: String, in chromium: Chromium) async throws {
    try await chromium.wait(until: "document.getElementById('question').open")
    let _: Bool = try await chromium.evaluate("document.getElementById('question-\(id)').click(), true")
  }

  @Test("JSB-5: a purchase asks after the login, is delivered once, finished, and gone from the queue")
  func purchase() async throws {
    try await visit { stage, chromium in
      try await buy("coins_100", in: chromium)
      try await answer("yes", in: chromium)
      try await chromium.wait(until: "document.getElementById('goods').textContent.includes('Coins100')")
      try await chromium.wait(until: "document.getElementById('purchases').textContent.startsWith('Nothing')")
      try await stage.oneFinished()
      try await chromium.send("Page.reload")
      try await chromium.wait(until: "document.querySelectorAll('[data-product]').length === 5")
      let goods: String = try await chromium.evaluate("document.getElementById('goods').textContent")
      #expect(goods.hasPrefix("Coins100"))
    }
  }

  @Test("JSB-5: a no after the login buys nothing")
  func refusal() async throws {
    try await visit { stage, chromium in
      try await buy("pro_yearly", in: chromium)
      try await answer("no", in: chromium)
      try await chromium.wait(until: "document.getElementById('notices').textContent.includes('Not bought')")
      #expect(stage.store.transactions().isEmpty)
      #expect(stage.lines.value.contains { $0.contains(#"rejects purchase {"rejectedAfterLogin":{}}"#) })
    }
  }

  @Test("JSB-15: the shop takes refunded goods away, and does not give them again")
  func refund() async throws {
    try await visit { stage, chromium in
      try await buy("coins_100", in: chromium)
      try await answer("yes", in: chromium)
      try await chromium.wait(until: "document.getElementById('goods').textContent.includes('Coins100')")
      try await stage.oneFinished()
      let coins = try #require(stage.store.transactions().first)
      #expect(stage.store.refund(coins.id))
      try await chromium.wait(until: "document.getElementById('goods').textContent.includes('Coins0')")
      try await chromium.reload()
      try await chromium.wait(until: "document.querySelectorAll('[data-product]').length === 5")
      #expect(try await chromium.evaluate("document.getElementById('goods').textContent.startsWith('Coins0')") as Bool)
    }
  }

  @Test("JSB-15: the shop ends Pro when the paid period is over", arguments: [(3, false), (3600, true)])
  func proEnds(seconds: Int, isPro: Bool) async throws {
    try await visit { _, chromium in
      let _: Bool = try await chromium.evaluate(
        """
        localStorage.setItem('lumen.purchase.1', JSON.stringify({
          product: 'pro_monthly', until: new Date(Date.now() + \(seconds * 1000)).toISOString() })), true
        """)
      try await chromium.reload()
      let words = isPro ? "Lumen ProyesAdsoff" : "Lumen PronoAdson"
      try await chromium.wait(until: "document.getElementById('goods').textContent.includes('\(words)')")
    }
  }

  @Test("SEC-4: the shop's contrast, target sizes and reflow, in both themes", arguments: [false, true])
  func measures(dark: Bool) async throws {
    try await visit { _, chromium in
      try await chromium.show(width: 390, dark: dark, reducedMotion: true)
      let _: Bool = try await chromium.evaluate("document.getElementById('workshop').open = true")
      for probe in [PageProbe.contrast, PageProbe.overflow, PageProbe.targets] {
        let faults: [String] = try await chromium.evaluate(probe)
        #expect(faults == [])
      }
      try await chromium.show(width: 320, dark: dark)
      let actualFaults: [String] = try await chromium.evaluate(PageProbe.overflow)
      #expect(actualFaults == [])
    }
  }

  @Test("SEC-4: the shop can be used by keyboard, and everything has a name")
  func keyboard() async throws {
    try await visit { stage, chromium in
      let nodes = try await chromium.accessibilityTree()
      let roles: Set = ["button", "link", "combobox", "radio", "switch", "heading"]
      #expect(nodes.filter { roles.contains($0.role) && $0.name.isEmpty }.map(\.role) == [])
      try await chromium.tab(to: "e.closest('[data-product=remove_ads]')")
      try await chromium.press(.enter)
      try await chromium.wait(until: "document.getElementById('question').open")
      try await chromium.tab(to: "e.id === 'question-yes'")
      try await chromium.press(.enter)
      try await chromium.wait(until: "document.getElementById('goods').textContent.includes('Adsoff')")
    }
  }
}
