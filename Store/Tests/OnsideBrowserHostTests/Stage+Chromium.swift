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
    try await run(.folder(folder), screens: screens, offering: offers) { try await $0.browse(body) }
  }

  /// Opens the same page of the same store on a second device, in a browser of its own.
  func visitOnSecondDevice(_ body: @escaping @MainActor (Stage, Chromium) async throws -> Void) async throws {
    let other = FileManager.default.temporaryDirectory.appending(path: "onside-dev-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: other) }
    try await Self.serve(settings.page, from: store, in: other) { try await $0.browse(body) }
  }

  private func browse(_ body: @MainActor (Stage, Chromium) async throws -> Void) async throws {
    let chromium = try await Chromium.start()
    do {
      try await chromium.open(address.page.absoluteString)
      try await body(self, chromium)
      await chromium.stop()
    } catch {
      await chromium.stop()
      throw error
    }
  }
}
