import Foundation
import OnsideKit
import OnsideWebKitGTK

/// The README's lines for web views; script/check-samples compares.
private func openShop(_ page: URL) async throws {
  let window = try await OnsideWebWindow.open("Shop")
  try await OnsideJS.configureOnsideForWebView(window, allowedOrigins: ["https://shop.example"])
  await window.show(page)
}
