import CWebKitGTK
import Foundation

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

  /// The text that a value is; nil for every other kind.
  nonisolated static func text(of value: OpaquePointer) -> String? {
    guard jsc_value_is_string(value) != 0, let bytes = jsc_value_to_string_as_bytes(value) else { return nil }
    defer { g_bytes_unref(bytes) }
    var count = gsize(0)
    let start = g_bytes_get_data(bytes, &count)
    return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }
}

extension Data {
  init(_ bytes: OpaquePointer) {
    var count = gsize(0)
    let start = g_bytes_get_data(bytes, &count)
    self = start.map { Data(bytes: $0, count: Int(count)) } ?? Data()
  }
}
