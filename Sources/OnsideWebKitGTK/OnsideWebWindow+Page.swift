import CWebKitGTK
public import Foundation

/// Looking at the page from native code: for tests and tools.
extension OnsideWebWindow {
  /// Runs the body of an async JavaScript function in the page, with one argument called `argument`, and waits for the
  /// text that it returns.
  /// - Throws: ``WebViewError`` with what the function threw, or when it returned no text.
  public func run(_ body: String, argument: String = "") async throws(WebViewError) -> String {
    try await WebKitViews.run(body, argument: argument, in: view)
  }

  /// What the view shows, as a PNG image.
  public func picture() async throws(WebViewError) -> Data {
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
    guard let bytes = gdk_texture_save_to_png_bytes(texture) else { return .success(Data()) }
    defer { g_bytes_unref(bytes) }
    return .success(Data(bytes))
  }
}
