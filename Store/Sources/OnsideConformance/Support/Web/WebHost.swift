import ConformanceTable
import OnsideKit

/// What gives `window.onside` to pages in a column: a browser with the development host, or a web view.
@MainActor
protocol WebHost: AnyObject, Sendable {
  /// What a page needs in its head; empty where the host puts the script in by itself.
  var headTag: String { get }
  /// A new tab or view, empty.
  func makePage() async throws -> any WebPage
  /// Takes everything down.
  func close() async
}

/// Makes the host of a column for pages of one origin.
@MainActor
func makeWebHost(_ bridge: OnsideBridge, for origin: WebOrigin) async throws -> any WebHost {
  try await ChromiumHost(bridge, for: origin)
}
