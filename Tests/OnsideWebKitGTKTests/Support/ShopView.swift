import CWebKitGTK
import DesktopSession
import Foundation
import OnsideKit
import OnsideTestKit

@testable import OnsideWebKitGTK

/// A web view with the bridge, of an app on a device of a test session.
@GTKActor
final class ShopView {
  let window: OnsideWebWindow

  /// - Parameter bridge: connects the page with the app.
  static func open(_ bridge: OnsideBridge, allowed: String...) async throws -> ShopView {
    let window = try await OnsideWebWindow.open("Test")
    try await OnsideJS.configureOnsideForWebView(
      window, allowedOrigins: allowed.isEmpty ? [home] : allowed, bridge: bridge)
    return ShopView(window)
  }

  /// The same without origins, as the published call has it.
  static func openForFirstPage(_ bridge: OnsideBridge) async throws -> ShopView {
    let window = try await OnsideWebWindow.open("Test")
    await OnsideJS.configureOnsideForWebView(window, bridge: bridge)
    return ShopView(window)
  }

  nonisolated static let home = "https://shop.example"

  private init(_ window: OnsideWebWindow) { self.window = window }

  /// Shows a page of an origin, and returns when it has loaded.
  func load(_ html: String = "<title>Shop</title>", from address: String = ShopView.home + "/") async throws {
    try await window.load { webkit_web_view_load_html(window.view, html, address) }
  }

  /// Runs the body of an async function in the page.
  func run(_ body: String) async throws -> String {
    try await window.run(body)
  }

  /// Waits until the page has a title.
  func until(title: String) async throws {
    try await NamedDeadline.wait(for: "the page to have the title “\(title)”") {
      try await run("return document.title") == title
    }
  }

  /// What a call comes to: its result as JSON, or `rejected`, or the code of a bridge error.
  func call(_ expression: String) async throws -> String {
    try await run(
      """
      try { return JSON.stringify(await (\(expression))) ?? 'undefined'; } catch (error) {
        if (error instanceof Error) return `${error.name} ${error.code ?? error.message}`;
        return 'rejected ' + JSON.stringify(error);
      }
      """)
  }
}

/// An app that is a web page, on a device of a session of its own.
@MainActor
struct WebApp {
  let session: OnsideTestSession
  let phone: TestDevice
  let bridge: OnsideBridge

  init(limits: BridgeLimits = BridgeLimits()) {
    session = OnsideTestSession(selling: .consumable("coins"), .nonConsumable("no_ads"), .subscription("pro"))
    phone = session.device()
    let phone = phone
    bridge = phone.launch { OnsideBridge(client: phone.client, limits: limits) }
  }
}
