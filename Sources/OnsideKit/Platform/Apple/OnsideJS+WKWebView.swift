#if canImport(WebKit)
  import Foundation
  public import WebKit

  extension OnsideJS {
    /// Gives pages of a web view `window.onside` (contract, section 3). Call it once for each view, before the first
    /// page is loaded, and after `Onside.initialize`. It becomes Onside's delegate and observer; native code sets none
    /// then.
    ///
    /// Only the top frame of documents from `allowedOrigins` gets it: origins are compared whole, with scheme, host and
    /// port, when a message arrives and when an answer leaves.
    /// - Parameters:
    ///   - webView: the view; it is not kept alive by the bridge.
    ///   - allowedOrigins: such as `https://shop.example`; at least one.
    ///   - bridge: the process's, unless given.
    /// - Throws: ``OnsideWebViewError`` for what is not an origin.
    public static func configureOnsideForWebView(
      _ webView: WKWebView, allowedOrigins: [String], bridge: OnsideBridge? = nil
    ) throws {
      let origins = try allowedOrigins.map { text in
        guard let origin = WebOrigin(text) else { throw OnsideWebViewError(notAnOrigin: text) }
        return origin
      }
      guard !origins.isEmpty else { throw OnsideWebViewError(notAnOrigin: "") }
      let handler = WebViewBridge(webView, view: (bridge ?? OnsideBridge.shared()).makeView())
      handler.install(in: webView.configuration.userContentController, for: Set(origins))
    }

    /// Gives the pages of one origin `window.onside`: of the first address that the app itself loads into the view, and
    /// of no other. Call it once for each view, before that load.
    ///
    /// Where that address leads on to another origin, or belongs to none (`about:blank`, a file), nothing gets it, and
    /// the log says so: name the origins then.
    public static func configureOnsideForWebView(_ webView: WKWebView) {
      let handler = WebViewBridge(webView, view: OnsideBridge.shared().makeView())
      handler.installForFirstPage(of: webView)
    }
  }

  /// A web view that could not be given the bridge.
  public struct OnsideWebViewError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was expected, what came and what to do.
    public let description: String

    init(notAnOrigin text: String) {
      description = "expected an origin such as https://shop.example, got \"\(text)\"; give scheme, host and port only"
    }
  }

  /// The host's end of the bridge for one web view. The view's content controller keeps it; it keeps the view weakly.
  @MainActor
  private final class WebViewBridge: NSObject, WKScriptMessageHandlerWithReply {
    private weak var webView: WKWebView?
    private var allowed: Set<WebOrigin> = []
    private let view: BridgeView
    /// Observes the address of the view until its first page begins; it keeps this object until then.
    private var firstAddress: NSKeyValueObservation?
    private let world = WKContentWorld.world(name: BridgeScript.webKitWorld)
    private var page: BridgePage?

    init(_ webView: WKWebView, view: BridgeView) {
      self.webView = webView
      self.view = view
    }

    deinit { view.close() }

    /// A view has its first address as soon as the app has asked it to load a page, before the page's scripts run. It
    /// is observed until that page begins: an address of another origin before is a redirect.
    func installForFirstPage(of webView: WKWebView) {
      firstAddress = webView.observe(\.url) { [self] webView, _ in
        MainActor.assumeIsolated { addressChanged(in: webView) }
      }
      addressChanged(in: webView)
    }

    private func addressChanged(in webView: WKWebView) {
      guard firstAddress != nil, let address = webView.url?.absoluteString else { return }
      if allowed.isEmpty, let origin = WebOrigin(address) {
        return install(in: webView.configuration.userContentController, for: [origin])
      }
      if let origin = WebOrigin(address), allowed.contains(origin) { return }
      firstAddress = nil
      view.warnOfFirstPage(at: address, expected: allowed.first)
    }

    func install(in controller: WKUserContentController, for origins: Set<WebOrigin>) {
      allowed = origins
      controller.addScriptMessageHandler(self, contentWorld: world, name: BridgeScript.webKitHandler)
      for (source, world) in [(Self.begin, world), (BridgeScript.webKitRelay, world), (BridgeScript.webKitPage, .page)]
      {
        controller.addUserScript(
          WKUserScript(
            source: guarded(source), injectionTime: .atDocumentStart, forMainFrameOnly: true, in: world))
      }
    }

    func userContentController(
      _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
      replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
    ) {
      guard message.webView === webView, message.frameInfo.isMainFrame,
        let origin = WebOrigin(message.frameInfo.securityOrigin), allowed.contains(origin),
        let text = message.body as? String
      else { return replyHandler(Self.refusal, nil) }
      if text == Self.beginText {
        beginPage()
        replyHandler("", nil)
      } else {
        replyHandler(page?.receive(text) ?? Self.refusal, nil)
      }
    }

    private func beginPage() {
      firstAddress = nil
      page = view.beginPage { [weak self] message in
        Task { @MainActor in self?.push(message) }
      }
    }

    /// A document of another page takes no notice of it: it knows its own page's messages.
    private func push(_ message: String) {
      guard let webView, let address = webView.url, let origin = WebOrigin(address.absoluteString),
        allowed.contains(origin)
      else { return }
      webView.callAsyncJavaScript(
        BridgeScript.webKitPushBody, arguments: [BridgeScript.webKitPushArgument: message], in: nil, in: world,
        completionHandler: nil)
    }

    /// The scripts run in every document's top frame, and do nothing unless its origin is allowed.
    private func guarded(_ source: String) -> String {
      let origins = allowed.map { "'\($0)'" }.sorted().joined(separator: ", ")
      return "if ([\(origins)].includes(location.origin)) {\n\(source)\n}"
    }

    private static let beginText = "begin"
    /// Says that there is a new document, or an old one that has come back from the history.
    private static let begin = """
      (() => {
        if (window.onsideReceive) return;
        const begin = () => window.webkit.messageHandlers.onside.postMessage('\(beginText)');
        window.addEventListener('pageshow', (event) => { if (event.persisted) begin(); });
        begin();
      })();
      """
    private static let refusal = """
      {"error":{"code":"disallowedFrame","message":"This page's origin is not among those that the app allows"}}
      """
  }

  extension WebOrigin {
    @MainActor
    fileprivate init?(_ origin: WKSecurityOrigin) {
      self.init("\(origin.protocol)://\(origin.host)" + (origin.port == 0 ? "" : ":\(origin.port)"))
    }
  }
#endif
