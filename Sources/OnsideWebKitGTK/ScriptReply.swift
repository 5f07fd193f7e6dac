import CWebKitGTK

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
