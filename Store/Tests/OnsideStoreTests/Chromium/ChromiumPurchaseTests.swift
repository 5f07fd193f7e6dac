import Foundation
import HeadlessChromium
import Hummingbird
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore

@Suite(
  "A purchase in Chromium", .serialized, .enabled(if: Chromium.path != nil, "needs Chromium"), .timeLimit(.minutes(5)))
struct ChromiumPurchaseTests {
  private func withBrowser(_ body: @escaping @Sendable (Chromium, ShopStore, URL) async throws -> Void) async throws {
    let shop = try await ShopStore()
    try await shop.login.live { address in
      let chromium = try await Chromium.start()
      do {
        try await chromium.show(width: 390)
        try await body(chromium, shop, address)
        await chromium.stop()
      } catch {
        await chromium.stop()
        throw error
      }
    }
  }

  @Test("SEC-4: logging in, buying and reading the receipt works by keyboard alone, without a script")
  func keyboardOnly() async throws {
    try await withBrowser { chromium, shop, address in
      try await chromium.send("Emulation.setScriptExecutionDisabled", parameters: ["value": true])
      try await chromium.open("\(address)/shop/\(ShopStore.app)")
      try await chromium.tab(to: "e.tagName === 'BUTTON' && e.textContent === 'Buy'")
      try await chromium.press(.enter)
      try await chromium.settle { $0.contains("/login/") }
      try await chromium.tab(to: "e.id === 'phone'")
      try await chromium.type("+31 6 12345689")
      try await chromium.press(.enter)
      try await chromium.settle { $0.hasSuffix("/code") }
      try await chromium.tab(to: "e.id === 'code'")
      try await chromium.type(try await shop.login.code("+31612345689"))
      try await chromium.press(.enter)
      try await chromium.settle { $0.hasSuffix("/region") }
      try await chromium.tab(to: "e.tagName === 'BUTTON' && e.textContent === 'Create account'")
      try await chromium.press(.enter)
      try await chromium.settle { $0.contains("/pay/") }
      try await chromium.tab(to: "e.type === 'radio'")
      try await chromium.press(.down)
      try await chromium.tab(to: "e.tagName === 'BUTTON' && e.textContent.startsWith('Pay')")
      try await chromium.press(.enter)
      try await chromium.wait(until: "document.getElementById('method-error')")
      let error: String = try await chromium.evaluate("document.getElementById('method-error').textContent")
      #expect(error.contains("declined"))
      // No card is chosen now: the first one has the focus, and the declined one comes before the next.
      try await chromium.tab(to: "e.type === 'radio'")
      try await chromium.press(.down)
      try await chromium.press(.down)
      try await chromium.tab(to: "e.tagName === 'BUTTON' && e.textContent.startsWith('Pay')")
      try await chromium.press(.enter)
      try await chromium.settle { $0.hasSuffix("/second-step") }
      try await chromium.tab(to: "e.value === 'approve'")
      try await chromium.press(.enter)
      try await chromium.settle { $0.contains("/receipt/") }
      let heading: String = try await chromium.evaluate("document.querySelector('h1').textContent")
      #expect(heading == "Thank you")
    }
  }

  @Test("SEC-3: the browser itself lets a login's form lead to the app's loopback address, and to no other")
  func formTargets() async throws {
    try await withBrowser { chromium, shop, address in
      let router = Router()
      router.get("callback") { request, _ in "arrived \(request.uri.query ?? "")" }
      try await Application(router: router).test(.live) { app in
        let port = try #require(app.port)
        let path = LoginStore.authorize(["redirect_uri": "http://127.0.0.1:\(port)/callback"])
        try await chromium.send("Page.navigate", parameters: ["url": "\(address)\(path)"])
        try await chromium.settle { $0.contains("/login/") }
        try await chromium.tab(to: "e.textContent === 'Cancel'")
        try await chromium.press(.enter)
        try await chromium.settle { $0.contains("/callback") }
        let text: String = try await chromium.evaluate("document.body.textContent")
        #expect(text.hasPrefix("arrived error=access_denied"))

        try await chromium.send("Page.navigate", parameters: ["url": "\(address)\(path)"])
        try await chromium.settle { $0.contains("/login/") }
        let _: Bool = try await chromium.evaluate(
          """
          addEventListener('securitypolicyviolation', (event) => { globalThis.refused = event.effectiveDirective; });
          document.forms[0].action = 'http://localhost:\(port)/callback';
          document.forms[0].submit();
          true
          """)
        try await chromium.wait(until: "globalThis.refused === 'form-action'")
      }
    }
  }
}
