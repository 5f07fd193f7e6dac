import CWebKitGTK
import OnsideWebKitGTK

/// A message handler with reply in the page's own world that answers with an empty text at once: as little
/// as WebKit can do.
@GTKActor
enum RawHandler {
  static func add(to window: OnsideWebWindow) throws {
    let manager = webkit_web_view_get_user_content_manager(window.view)
    typealias Received = @convention(c) (gpointer?, OpaquePointer?, OpaquePointer?, gpointer?) -> gboolean
    let received: Received = { _, message, reply, _ in
      guard let message, let reply else { return 0 }
      let value = jsc_value_new_string(jsc_value_get_context(message), "")
      webkit_script_message_reply_return_value(reply, value)
      g_object_unref(value.map(UnsafeMutableRawPointer.init))
      return 1
    }
    g_signal_connect_data(
      manager.map(UnsafeMutableRawPointer.init), "script-message-with-reply-received::raw",
      unsafeBitCast(received, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
    guard webkit_user_content_manager_register_script_message_handler_with_reply(manager, "raw", nil) != 0 else {
      throw BenchError("expected WebKit to take the raw handler")
    }
  }
}
