import CWebKitGTK

/// One load of a page, from its begin to its end.
@GTKActor
final class PageLoad {
  private let view: UnsafeMutablePointer<WebKitWebView>
  private var signals: [UInt] = []
  private var waiting: CheckedContinuation<WebViewError?, Never>?
  private var hasStarted = false
  private var problem: WebViewError?

  init(_ view: UnsafeMutablePointer<WebKitWebView>) { self.view = view }

  /// Begins the load and waits for its end; keeps the view until then.
  func run(_ begin: () -> Void) async throws(WebViewError) {
    g_object_ref(view)
    defer { g_object_unref(view) }
    listen()
    let problem = await withCheckedContinuation {
      waiting = $0
      begin()
    }
    for signal in signals { g_signal_handler_disconnect(view, signal) }
    if let problem { throw problem }
  }

  private func listen() {
    typealias Changed = @convention(c) (gpointer?, WebKitLoadEvent, gpointer?) -> Void
    let changed: Changed = { _, event, receiver in Signals.with(receiver, as: PageLoad.self) { $0.changed(event) } }
    typealias Failed =
      @convention(c) (gpointer?, WebKitLoadEvent, gpointer?, UnsafeMutablePointer<GError>?, gpointer?) -> gboolean
    let failed: Failed = { _, _, _, error, receiver in
      let reason = error?.pointee.message.map { String(cString: $0) } ?? "no reason"
      Signals.with(receiver, as: PageLoad.self) { $0.problem = WebViewError("expected a page, got: \(reason)") }
      return 0
    }
    typealias Ended = @convention(c) (gpointer?, WebKitWebProcessTerminationReason, gpointer?) -> Void
    let ended: Ended = { _, _, receiver in
      Signals.with(receiver, as: PageLoad.self) { $0.end(WebViewError("expected a page, got the end of its process")) }
    }
    signals = [
      Signals.connect(
        view, signal: "web-process-terminated", to: self, function: unsafeBitCast(ended, to: GCallback.self)),
      Signals.connect(view, signal: "load-changed", to: self, function: unsafeBitCast(changed, to: GCallback.self)),
      Signals.connect(view, signal: "load-failed", to: self, function: unsafeBitCast(failed, to: GCallback.self)),
    ]
  }

  /// The end of a former load may still come.
  private func changed(_ event: WebKitLoadEvent) {
    if event == WEBKIT_LOAD_STARTED {
      hasStarted = true
      problem = nil
    }
    guard event == WEBKIT_LOAD_FINISHED, hasStarted else { return }
    end(problem)
  }

  /// The load ends now, if it has not.
  func end(_ problem: WebViewError?) {
    waiting?.resume(returning: problem)
    waiting = nil
  }
}
