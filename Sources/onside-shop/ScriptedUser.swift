import Foundation
import OnsideWebKitGTK

/// Somebody who buys coins in `Examples/WebShop`, for demonstrations: presses the shop's buttons, and those of the screens.
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
      _ = try await shop.run(Self.press, argument: "dialog[open] button")
      for screen in await ScreenWindow.open { _ = try? await screen.run(Self.press, argument: "button[value=go]") }
      return try await text(of: "#goods", in: shop) != goods
    }
    // What the page animates has come to rest.
    try await Task.sleep(for: .seconds(1))
    try await shop.picture().write(to: file)
    print("Bought something. The shop now: \(file.path)")
  }

  private func press(_ selector: String, in window: OnsideWebWindow, for what: String) async throws {
    try await wait(for: what) { (try? await window.run(Self.press, argument: selector)) == "pressed" }
  }

  private func text(of selector: String, in window: OnsideWebWindow) async throws -> String {
    try await window.run("return document.querySelector(argument)?.textContent ?? ''", argument: selector)
  }

  private static let press = """
    const element = document.querySelector(argument);
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
