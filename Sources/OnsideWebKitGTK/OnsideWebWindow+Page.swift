import CWebKitGTK
public import Foundation

/// Looking at the page from native code: for tests and tools.
extension OnsideWebWindow {
  /// Runs the body of an async JavaScript function in the page, and waits for the text that it returns.
  /// - Parameter arguments: texts, by the names under which the function knows them. A text ends at its first NUL.
  /// - Throws: ``WebViewError`` with what the function threw, or when it returned no text.
  public func run(_ body: String, arguments: [String: String] = [:]) async throws(WebViewError) -> String {
    try await WebKitViews.run(body, arguments: arguments, in: openView)
  }

  /// Loads a page, without showing the window, and returns when it has loaded.
  /// - Throws: ``WebViewError`` with the reason why it could not be.
  public func load(_ address: URL) async throws(WebViewError) {
    try await load { webkit_web_view_load_uri(view, address.absoluteString) }
  }

  /// Loads the page again, and returns when it has loaded.
  /// - Throws: ``WebViewError`` with the reason why it could not be.
  public func reload() async throws(WebViewError) {
    try await load { webkit_web_view_reload(view) }
  }

  /// Ends the process that shows the page, as a crash would. A page that is loaded next gets a new one.
  public func crash() {
    if let view = try? openView { webkit_web_view_terminate_web_process(view) }
  }

  /// What the view shows, as a PNG image.
  public func picture() async throws(WebViewError) -> Data {
    let view = try openView
    let outcome = await withCheckedContinuation { (done: CheckedContinuation<Result<Data, WebViewError>, Never>) in
      webkit_web_view_get_snapshot(
        view, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, nil,
        { view, result, done in Completion.finish(done, with: OnsideWebWindow.picture(view, result)) },
        Completion.keep(done))
    }
    return try outcome.get()
  }

  private nonisolated static func picture(_ view: gpointer?, _ result: OpaquePointer?) -> Result<Data, WebViewError> {
    var error: UnsafeMutablePointer<GError>?
    guard
      let view,
      let texture = webkit_web_view_get_snapshot_finish(
        view.assumingMemoryBound(to: WebKitWebView.self), result, &error)
    else { return .failure(WebViewError(taking: error, expected: "a picture of the page")) }
    defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
    guard let bytes = gdk_texture_save_to_png_bytes(texture) else {
      return .failure(WebViewError("expected a picture of the page, got none that can be written as PNG"))
    }
    defer { g_bytes_unref(bytes) }
    return .success(Data(bytes))
  }
}
