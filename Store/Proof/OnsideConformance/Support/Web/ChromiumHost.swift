import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideKit

/// Column B: Chromium without a window, and the host of `onside dev`.
@MainActor
final class ChromiumHost: WebHost {
  let headTag: String
  private let running: Task<Void, any Error>
  private var pages: [ChromiumPage] = []

  init(_ bridge: OnsideBridge, for origin: WebOrigin) async throws {
    let host = BrowserHost(bridge: bridge, settings: BrowserHostSettings(page: .origin(origin)))
    let (addresses, listening) = AsyncStream.makeStream(of: BrowserHostAddress.self)
    running = Task {
      defer { listening.finish() }
      try await host.run { listening.yield($0) }
    }
    for await address in addresses {
      headTag = address.scriptTag
      return
    }
    headTag = ""
    try await running.value
  }

  func makePage() async throws -> any WebPage {
    let page = ChromiumPage(try await Chromium.start())
    pages.append(page)
    return page
  }

  func close() async {
    for page in pages { await page.close() }
    running.cancel()
    _ = await running.result
  }
}

/// A browser with one tab.
@MainActor
final class ChromiumPage: WebPage {
  private let chromium: Chromium
  private var isClosed = false

  init(_ chromium: Chromium) { self.chromium = chromium }

  func open(_ address: URL) async throws { try await chromium.open(address.absoluteString) }

  func reload() async throws { try await chromium.reload() }

  func call(_ body: String, with texts: [String: String]) async throws -> String {
    try await chromium.run(body, arguments: texts)
  }

  func crash() async throws { try await chromium.crash() }

  func close() async {
    guard !isClosed else { return }
    isClosed = true
    await chromium.stop()
  }
}
