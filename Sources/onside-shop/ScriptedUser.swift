import Foundation
import OnsideWebKitGTK

/// A scripted user who buys coins in `Examples/WebShop`, for demonstrations: presses the buttons of the shop and of the
/// screens.
struct ScriptedUser {
  private let shop: OnsideWebWindow
  /// In seconds.
  private static let patience = 120.0

  init(_ shop: OnsideWebWindow) { self.shop = shop }

  /// Buys something, waits until the shop has delivered it, and takes a picture.
  func buy(picture file: URL) async throws {
    try await press("[data-product=coins_100] button", in: shop, for: "the shop to offer coins")
    let goods = try await text(of: "#goods", in: shop)
    try await wait(for: "the shop to deliver the purchase") {
      _ = try await run(Self.press, on: "dialog[open] button", in: shop)
      for screen in await ScreenWindow.open { _ = try? await run(Self.press, on: "button[value=go]", in: screen) }
      return try await text(of: "#goods", in: shop) != goods
    }
    // Waits for the page's animations to end.
    try await Task.sleep(for: .seconds(1))
    try await shop.picture().write(to: file)
    print("Bought something. The shop now: \(file.path)")
  }

  /// Presses the shop's button to log in, and waits until a user is logged in. The login itself, in a window or in
  /// another app, is done elsewhere.
  func logIn(picture file: URL) async throws {
    try await press("#log-in:not([hidden])", in: shop, for: "the shop to offer a login")
    try await wait(for: "the login") { try await text(of: "#log-out:not([hidden])", in: shop) != "" }
    try await Task.sleep(for: .seconds(1))
    try await shop.picture().write(to: file)
    print("Logged in. The shop now: \(file.path)")
  }

  private func press(_ selector: String, in window: OnsideWebWindow, for what: String) async throws {
    try await wait(for: what) { (try? await run(Self.press, on: selector, in: window)) == "pressed" }
  }

  private func text(of selector: String, in window: OnsideWebWindow) async throws -> String {
    try await run("return document.querySelector(selector)?.textContent ?? ''", on: selector, in: window)
  }

  private func run(_ script: String, on selector: String, in window: OnsideWebWindow) async throws -> String {
    try await window.run(script, arguments: ["selector": selector])
  }

  private static let press = """
    const element = document.querySelector(selector);
    if (!element || element.disabled) return 'missing';
    element.click();
    return 'pressed';
    """

  private func wait(for what: String, _ isSo: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(Self.patience)
    while try await !isSo() {
      guard .now < deadline else { throw ShopError("waited for \(what) in vain") }
      try await Task.sleep(for: .milliseconds(100))
    }
  }
}
