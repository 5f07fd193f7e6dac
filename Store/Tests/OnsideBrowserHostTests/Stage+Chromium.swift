import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideCommerce
import OnsideKit

extension Stage {
  /// Serves a page out of a folder of its own and opens it in a browser.
  static func visit(
    _ html: String, screens: any ScreenPresenter = TerminalPresenter(), offering offers: [Offer] = [],
    _ body: @escaping @MainActor (Stage, Chromium) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-page-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try html.write(to: folder.appending(path: "index.html"), atomically: true, encoding: .utf8)
    try await run(.folder(folder), screens: screens, offering: offers) { stage in
      let chromium = try await Chromium.start()
      do {
        try await chromium.open(stage.address.page.absoluteString)
        try await body(stage, chromium)
        await chromium.stop()
      } catch {
        await chromium.stop()
        throw error
      }
    }
  }
}
