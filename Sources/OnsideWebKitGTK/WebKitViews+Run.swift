import CWebKitGTK

extension WebKitViews {
  /// Runs the body of an async function in the world of the page's own scripts.
  static func run(
    _ body: String, arguments texts: [String: String], in view: UnsafeMutablePointer<WebKitWebView>
  ) async throws(WebViewError) -> String {
    let outcome = await withCheckedContinuation { (done: CheckedContinuation<Result<String, WebViewError>, Never>) in
      webkit_web_view_call_async_javascript_function(
        view, body, -1, arguments(texts), nil, nil, nil,
        { view, result, done in Completion.finish(done, with: WebKitViews.answer(view, result)) }, Completion.keep(done)
      )
    }
    return try outcome.get()
  }

  /// Arguments of a function, by name. A text ends at its first NUL.
  static func arguments(_ texts: [String: String]) -> OpaquePointer? {
    var arguments = GVariantDict()
    g_variant_dict_init(&arguments, nil)
    for (name, text) in texts { g_variant_dict_insert_value(&arguments, name, g_variant_new_string(text)) }
    return g_variant_dict_end(&arguments)
  }

  private nonisolated static func answer(_ view: gpointer?, _ result: OpaquePointer?) -> Result<String, WebViewError> {
    var error: UnsafeMutablePointer<GError>?
    guard
      let view,
      let value = webkit_web_view_call_async_javascript_function_finish(
        view.assumingMemoryBound(to: WebKitWebView.self), result, &error)
    else { return .failure(WebViewError(taking: error, expected: "the function to return")) }
    defer { g_object_unref(UnsafeMutableRawPointer(value)) }
    guard let text = text(of: value) else { return .failure(WebViewError("expected the function to return a text")) }
    return .success(text)
  }
}
