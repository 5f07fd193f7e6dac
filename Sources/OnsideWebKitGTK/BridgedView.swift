import CWebKitGTK
import Foundation
import OnsideKit

/// A web view that has Onside's bridge, for as long as the view lives.
///
/// Pages speak to a script in a world of its own, which alone sees the message handler: frames and scripts of pages do
/// not. Where a document comes from is known from its commit, not from the view's address, which is already that of the
/// next page while one loads.
@GTKActor
final class BridgedView {
  private let bridge: BridgeView
  /// Nil until the app loads the first page, whose origin it then is.
  private var allowed: Set<WebOrigin>?
  /// True until the first document of a view that was configured without origins: one of another origin is logged.
  private var awaitsFirstPage: Bool
  /// Nil once the view has gone.
  private var view: UnsafeMutablePointer<WebKitWebView>?
  /// The document that is shown; nil unless it may use the bridge.
  private var page: BridgePage?
  /// Counts documents.
  private var commits = 0
  private var content: BridgeContent?

  /// - Parameter allowed: the origins whose pages may use the bridge; the one of the first page when nil.
  init(_ view: UnsafeMutablePointer<WebKitWebView>, allowed: Set<WebOrigin>?, bridge: BridgeView) throws(WebViewError) {
    self.view = view
    self.allowed = allowed
    awaitsFirstPage = allowed == nil
    self.bridge = bridge
    try listen(to: view)
    if allowed == nil { allowFirst() }
  }

  /// Allows the origin of the page that the view has been told to load. A view gets its first address when the app
  /// loads a page: before WebKit has asked for it, so the scripts are in time, and before a server can redirect to
  /// another origin. A first page without an origin, such as a file, allows none: its links lead to pages of others.
  private func allowFirst() {
    guard allowed == nil, let address = view.flatMap(webkit_web_view_get_uri), address.pointee != 0 else { return }
    allowed = WebOrigin(String(cString: address)).map { [$0] } ?? []
    addScripts()
  }

  private func noteFirstPage(at address: String) {
    guard awaitsFirstPage else { return }
    awaitsFirstPage = false
    let isAllowed = WebOrigin(address).map { allowed?.contains($0) == true } ?? false
    if !isAllowed { bridge.warnOfFirstPage(at: address, expected: allowed?.first) }
  }

  // MARK: Documents

  private func committed() {
    endPage()
    guard let address = view.flatMap(webkit_web_view_get_uri).map({ String(cString: $0) }) else { return }
    noteFirstPage(at: address)
    guard let origin = WebOrigin(address), allowed?.contains(origin) == true else { return }
    let commit = commits
    page = bridge.beginPage { [weak self] message in
      Task { @GTKActor in self?.push(message, commit: commit) }
    }
  }

  private func endPage() {
    commits += 1
    page?.end()
    page = nil
  }

  private func gone() {
    endPage()
    view = nil
    content?.remove()
    content = nil
    bridge.close()
  }

  // MARK: Messages

  private func received(_ message: OpaquePointer, reply: ScriptReply) {
    guard let page else { return reply.answer(Self.refusal) }
    guard let text = WebKitViews.text(of: message) else { return reply.refuse("expected text") }
    reply.answer(page.receive(text))
  }

  private func push(_ message: String, commit: Int) {
    guard let view, commit == commits else { return }
    webkit_web_view_call_async_javascript_function(
      view, BridgeScript.webKitPushBody, -1, WebKitViews.arguments([BridgeScript.webKitPushArgument: message]),
      BridgeScript.webKitWorld, nil, nil, nil, nil)
  }

  private static let refusal = """
    {"error":{"code":"disallowedFrame","message":"This page's origin is not among those that the app allows"}}
    """

  // MARK: WebKit

  private func listen(to view: UnsafeMutablePointer<WebKitWebView>) throws(WebViewError) {
    try handleMessages(of: view)
    if allowed == nil {
      typealias Changed = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
      let changed: Changed = { _, _, receiver in Signals.with(receiver, as: BridgedView.self) { $0.allowFirst() } }
      Signals.connect(view, signal: "notify::uri", to: self, function: unsafeBitCast(changed, to: GCallback.self))
    } else {
      addScripts()
    }
    typealias Loaded = @convention(c) (gpointer?, WebKitLoadEvent, gpointer?) -> Void
    let loaded: Loaded = { _, event, receiver in
      guard event == WEBKIT_LOAD_COMMITTED else { return }
      Signals.with(receiver, as: BridgedView.self) { $0.committed() }
    }
    Signals.connect(view, signal: "load-changed", to: self, function: unsafeBitCast(loaded, to: GCallback.self))
    typealias Ended = @convention(c) (gpointer?, WebKitWebProcessTerminationReason, gpointer?) -> Void
    let ended: Ended = { _, _, receiver in Signals.with(receiver, as: BridgedView.self) { $0.endPage() } }
    Signals.connect(
      view, signal: "web-process-terminated", to: self, function: unsafeBitCast(ended, to: GCallback.self))
    g_object_weak_ref(
      view.retyped(),
      { receiver, _ in
        guard let receiver else { return }
        let bridged = FromC(Unmanaged<BridgedView>.fromOpaque(receiver).takeRetainedValue())
        GTKActor.assumeIsolated { bridged.value.gone() }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func handleMessages(of view: UnsafeMutablePointer<WebKitWebView>) throws(WebViewError) {
    guard let manager = webkit_web_view_get_user_content_manager(view) else { throw .alreadyConfigured }
    typealias Received = @convention(c) (gpointer?, OpaquePointer?, OpaquePointer?, gpointer?) -> gboolean
    let received: Received = { _, message, reply, receiver in
      guard let message, let reply else { return 0 }
      let (text, answer) = (FromC(message), FromC(reply))
      Signals.with(receiver, as: BridgedView.self) {
        $0.received(text.value, reply: ScriptReply(answer.value, to: text.value))
      }
      return 1
    }
    // Connect first: a message that comes in between would be lost.
    let signal = Signals.connect(
      UnsafeMutableRawPointer(manager), signal: "script-message-with-reply-received::\(BridgeScript.webKitHandler)",
      to: self,
      function: unsafeBitCast(received, to: GCallback.self))
    guard
      webkit_user_content_manager_register_script_message_handler_with_reply(
        manager, BridgeScript.webKitHandler, BridgeScript.webKitWorld) != 0
    else {
      g_signal_handler_disconnect(UnsafeMutableRawPointer(manager), signal)
      throw .alreadyConfigured
    }
    content = BridgeContent(manager, signal: signal)
  }

  /// The scripts come before any of the page's, into the top frame of allowed hosts only. WebKit's lists know no ports;
  /// what comes from another port is refused when it arrives.
  private func addScripts() {
    // An empty list would be none: scripts for every page.
    guard let allowed, !allowed.isEmpty else { return }
    let hosts = allowed.map { "\($0.scheme)://\($0.host)/*" }
    content?.add(BridgeScript.webKitPage, world: nil, hosts: hosts)
    content?.add(BridgeScript.webKitRelay, world: BridgeScript.webKitWorld, hosts: hosts)
  }
}

/// The answer that a script in the page waits for. One that is dropped is refused, so that the script never waits for
/// ever, or takes nothing for an answer.
@GTKActor
final class ScriptReply {
  private let reply: OpaquePointer
  private let context: OpaquePointer?
  private var isSettled = false

  /// - Parameters:
  ///   - reply: WebKit's reply object, which this keeps.
  ///   - message: the message that is answered.
  init(_ reply: OpaquePointer, to message: OpaquePointer) {
    self.reply = webkit_script_message_reply_ref(reply)
    context = jsc_value_get_context(message).map { OpaquePointer(g_object_ref(UnsafeMutableRawPointer($0))) }
  }

  func answer(_ text: String) {
    guard !isSettled else { return }
    isSettled = true
    var text = text
    let value = text.withUTF8 { bytes in
      let data = g_bytes_new(bytes.baseAddress, gsize(bytes.count))
      defer { g_bytes_unref(data) }
      return jsc_value_new_string_from_bytes(context, data)
    }
    webkit_script_message_reply_return_value(reply, value)
    g_object_unref(UnsafeMutableRawPointer(value))
  }

  /// Lets the script's promise be rejected with an error of this message.
  func refuse(_ message: String) {
    guard !isSettled else { return }
    isSettled = true
    webkit_script_message_reply_return_error_message(reply, message)
  }

  isolated deinit {
    refuse("bridgeDetached")
    webkit_script_message_reply_unref(reply)
    if let context { g_object_unref(UnsafeMutableRawPointer(context)) }
  }
}
