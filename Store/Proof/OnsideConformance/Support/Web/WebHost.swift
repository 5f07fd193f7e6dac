import ConformanceTable
import OnsideKit

#if canImport(OnsideWebKitGTK)
  import OnsideWebKitGTK
#endif

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
  guard Column.current == .webView else { return try await ChromiumHost(bridge, for: origin) }
  #if canImport(OnsideWebKitGTK)
    return WebKitHost(bridge, for: origin)
  #else
    throw WebHostError(description: "expected WebKitGTK, which this build leaves out")
  #endif
}

/// Whether column W can be shown here.
func hasWebViews() async -> Bool {
  #if canImport(OnsideWebKitGTK)
    do {
      try await GTKActor.start()
      return true
    } catch { return false }
  #else
    return false
  #endif
}

/// A host that cannot be made.
struct WebHostError: Error, CustomStringConvertible {
  let description: String
}
