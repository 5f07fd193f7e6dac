#if canImport(OnsideWebKitGTK)
  import Foundation
  import OnsideKit
  import OnsideWebKitGTK

  /// Column W: web views of WebKitGTK.
  @MainActor
  final class WebKitHost: WebHost {
    /// The view brings the script along.
    let headTag = ""
    private let bridge: OnsideBridge
    private let origin: WebOrigin
    private var pages: [WebKitPage] = []

    init(_ bridge: OnsideBridge, for origin: WebOrigin) {
      (self.bridge, self.origin) = (bridge, origin)
    }

    func makePage() async throws -> any WebPage {
      let window = try await OnsideWebWindow.open("Conformance")
      try await OnsideJS.configureOnsideForWebView(
        window, allowedOrigins: [origin.description], bridge: bridge)
      let page = WebKitPage(window)
      pages.append(page)
      return page
    }

    func close() async {
      for page in pages { await page.close() }
    }
  }

  /// A view in a window that is not shown.
  @MainActor
  final class WebKitPage: WebPage {
    private let window: OnsideWebWindow

    init(_ window: OnsideWebWindow) { self.window = window }

    func open(_ address: URL) async throws { try await window.load(address) }
    func reload() async throws { try await window.reload() }
    func crash() async throws { await window.crash() }
    func close() async { await window.close() }

    func call(_ body: String, with texts: [String: String]) async throws -> String {
      let reads = texts.keys.map { "\($0) = JSON.parse(\($0));" }.joined()
      return try await window.run(
        """
        \(reads)
        const value = await (async () => {
        \(body)
        })();
        return value === undefined ? 'null' : JSON.stringify(value);
        """, arguments: texts)
    }
  }
#endif
