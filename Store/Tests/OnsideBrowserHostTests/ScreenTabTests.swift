import Foundation
import HeadlessChromium
import Logging
import OnsideKit
import Testing

/// The tab that a login or a payment opens, closed without a word.
@MainActor
@Suite(
  "The tab of a login", .serialized, .timeLimit(.minutes(5)), .enabled(if: Chromium.path != nil, "needs Chromium"))
struct ScreenTabTests {
  @Test("JSB-12: a login whose tab is left is discarded, also after it was loaded again; the next one opens a new tab")
  func left() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-tab-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try LocalStore(
      contentsOf: Stage.repository.appending(path: "Examples/Shop.storekit"), storageFolder: folder,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (opened, opening) = AsyncStream.makeStream(of: URL.self)
    let screens = SystemBrowserPresenter(sleep: { try await Task.sleep(for: .seconds($0)) }) {
      opening.yield($0)
      return true
    }
    let client = OnsideClient(localStore: store, dependencies: .live(storageFolder: folder, screens: screens))
    var pages = opened.makeAsyncIterator()
    let chromium = try await Chromium.start()
    do {
      let discarded = Task { try await client.login() }
      let page = try #require(await pages.next())
      try await chromium.open(page.absoluteString)
      try await chromium.reload()
      try await chromium.wait(until: "document.querySelector('button') && window.here.readyState === 1")
      try await chromium.open("about:blank")
      await #expect(throws: OnsideLoginError.loginDiscarded) { try await discarded.value }
      let login = Task { try await client.login() }
      try await chromium.open(try #require(await pages.next()).absoluteString)
      let _: Bool = try await chromium.evaluate("document.querySelector('button').click(), true")
      try await login.value
      await chromium.stop()
    } catch {
      await chromium.stop()
      throw error
    }
    await client.close()
  }
}
