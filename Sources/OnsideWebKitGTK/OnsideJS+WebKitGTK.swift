public import CWebKitGTK
public import OnsideKit

extension OnsideJS {
  /// Gives pages of a web view `window.onside` (contract, section 3). Call it once for each view, before the first page
  /// is loaded, and after `Onside.initialize`. It becomes Onside's delegate and observer; native code sets none then.
  ///
  /// Only the top frame of documents from `allowedOrigins` gets it: origins are compared whole, with scheme, host and
  /// port, when a message arrives and when an answer leaves. Frames, documents without an origin of their own, and
  /// whatever the user comes to by a link from there do not.
  ///
  /// The bridge lives as long as the view; the view is not kept alive by it.
  /// - Parameters:
  ///   - webView: the view, made on GTK's thread.
  ///   - allowedOrigins: such as `https://shop.example` or `http://127.0.0.1:8080`; at least one.
  ///   - bridge: the process's, unless given.
  /// - Throws: ``WebViewError`` for what is not an origin, and for a view that has the bridge already.
  @GTKActor
  public static func configureOnsideForWebView(
    _ webView: UnsafeMutablePointer<WebKitWebView>, allowedOrigins: [String], bridge: OnsideBridge? = nil
  ) async throws(WebViewError) {
    var origins: Set<WebOrigin> = []
    for text in allowedOrigins {
      guard let origin = WebOrigin(text) else { throw .badOrigin(text) }
      origins.insert(origin)
    }
    guard !origins.isEmpty else { throw .badOrigin("none") }
    let bridge = if let bridge { bridge } else { await OnsideBridge.shared() }
    ExitGuard.renew()
    _ = try BridgedView(webView, allowed: origins, bridge: bridge.makeView())
  }
}

extension OnsideJS {
  /// The same for the view of a window.
  @GTKActor
  public static func configureOnsideForWebView(
    _ window: OnsideWebWindow, allowedOrigins: [String], bridge: OnsideBridge? = nil
  ) async throws(WebViewError) {
    try await configureOnsideForWebView(window.view, allowedOrigins: allowedOrigins, bridge: bridge)
  }
}

// The published form, which names no origins.
extension OnsideJS {
  /// Gives the pages of one origin `window.onside`: of the first address that the app itself loads into the view, and
  /// of no other. Call it once for each view, before that load.
  ///
  /// Where that address leads on to another origin, or belongs to none (`about:blank`, a file), nothing gets it, and
  /// the log says so: name the origins then. A view that was configured before stays as it is.
  ///
  /// ```swift
  /// await OnsideJS.configureOnsideForWebView(window)
  /// await window.show(page)
  /// ```
  @GTKActor
  public static func configureOnsideForWebView(
    _ webView: UnsafeMutablePointer<WebKitWebView>, bridge: OnsideBridge? = nil
  ) async {
    let bridge = if let bridge { bridge } else { await OnsideBridge.shared() }
    ExitGuard.renew()
    _ = try? BridgedView(webView, allowed: nil, bridge: bridge.makeView())
  }

  /// The same for the view of a window.
  @GTKActor
  public static func configureOnsideForWebView(_ window: OnsideWebWindow, bridge: OnsideBridge? = nil) async {
    await configureOnsideForWebView(window.view, bridge: bridge)
  }
}
