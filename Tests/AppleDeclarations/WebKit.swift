// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The few symbols of Apple's WebKit that OnsideKit uses, as declared in Apple's documentation.

public import Foundation

@MainActor open class WKContentWorld {
  public class var page: WKContentWorld { WKContentWorld() }
  public class func world(name: String) -> WKContentWorld { WKContentWorld() }
}

public enum WKUserScriptInjectionTime: Int { case atDocumentStart, atDocumentEnd }

@MainActor open class WKUserScript {
  public init(
    source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool, in contentWorld: WKContentWorld
  ) {}
}

@MainActor public protocol WKScriptMessageHandlerWithReply: NSObjectProtocol {
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void)
}

@MainActor open class WKUserContentController {
  open func addUserScript(_ userScript: WKUserScript) {}
  open func addScriptMessageHandler(
    _ scriptMessageHandlerWithReply: any WKScriptMessageHandlerWithReply, contentWorld: WKContentWorld, name: String
  ) {}
}

@MainActor open class WKSecurityOrigin {
  open var `protocol`: String { "" }
  open var host: String { "" }
  open var port: Int { 0 }
}

@MainActor open class WKFrameInfo {
  open var isMainFrame: Bool { false }
  open var securityOrigin: WKSecurityOrigin { WKSecurityOrigin() }
}

@MainActor open class WKScriptMessage {
  open var body: Any { "" }
  weak open var webView: WKWebView? { nil }
  open var frameInfo: WKFrameInfo { WKFrameInfo() }
}

@MainActor open class WKWebViewConfiguration {
  open var userContentController = WKUserContentController()
}

public final class NSKeyValueObservation {}
public struct NSKeyValueObservedChange<Value> {}

@MainActor open class WKWebView {
  public func observe<Value>(
    _ keyPath: KeyPath<WKWebView, Value>,
    changeHandler: @escaping @Sendable (WKWebView, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation { NSKeyValueObservation() }
  open var configuration: WKWebViewConfiguration { WKWebViewConfiguration() }
  open var url: URL? { nil }
  open func callAsyncJavaScript(
    _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
    in contentWorld: WKContentWorld,
    completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
  ) {}
}
