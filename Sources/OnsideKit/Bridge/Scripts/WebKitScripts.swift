/// The JavaScript between the page's world and native code in web views.
///
/// Only texts cross. They lie in a comment node that is in no document: no script of the page can reach it, and
/// `document.open`, which removes the listeners of window and document, does not affect it. Either side puts a text
/// there and dispatches an event that names its kind; the other side takes the text out at once. This is faster than
/// texts as details of events, which are cloned between script worlds. Reusing the same few events saves time, too.
///
/// The node is handed over as a mouse event's related target, before any script of the page runs. The script that
/// starts first waits for the other; the function `connect` of each is its half of this handshake.
enum WebKitScripts {
  /// An object with both ends of the connection.
  private static let ends = String(embedded: PackageResources.webkit_js)

  /// The page's end: a connection for ``PageScript/facade``.
  ///
  /// The relay takes a text by emptying the node. A text that is sent before the relay exists waits for it; a call
  /// fails when the page has loaded without a relay. Replies arrive in the order of the calls.
  static let pageConnection = "\(ends).connection"

  /// The relay's script, in a script world of its own that the page cannot access. Only that world has the message
  /// handler of native code.
  static let relay = "\(ends).relay();\n"
}
