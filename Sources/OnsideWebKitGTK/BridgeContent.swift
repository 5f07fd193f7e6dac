import CWebKitGTK
import OnsideKit

/// What a web view was given for the bridge: the handler of messages, and the scripts.
@GTKActor
final class BridgeContent {
  private let manager: OpaquePointer
  private let signal: UInt
  private var scripts: [OpaquePointer] = []

  /// - Parameters:
  ///   - manager: the user content manager of the view, which has the handler already.
  ///   - signal: the connection of the handler's signal.
  init(_ manager: OpaquePointer, signal: UInt) {
    self.manager = OpaquePointer(g_object_ref(UnsafeMutableRawPointer(manager)))
    self.signal = signal
  }

  /// Adds a script that runs in the top frame before any script of the page.
  /// - Parameter world: the world that it runs in; the page's own when nil.
  func add(_ source: String, world: String?, hosts: [String]) {
    let patterns = hosts.map { g_strdup($0) }
    defer { for pattern in patterns { g_free(pattern) } }
    let list = patterns.map { UnsafePointer($0) } + [nil]
    let script =
      if let world {
        webkit_user_script_new_for_world(
          source, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, world, list, nil)
      } else {
        webkit_user_script_new(
          source, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, list, nil)
      }
    guard let script else { return }
    webkit_user_content_manager_add_script(manager, script)
    scripts.append(script)
  }

  /// Takes everything back; managers may outlive their views.
  func remove() {
    g_signal_handler_disconnect(UnsafeMutableRawPointer(manager), signal)
    webkit_user_content_manager_unregister_script_message_handler(
      manager, BridgeScript.webKitHandler, BridgeScript.webKitWorld)
    for script in scripts {
      webkit_user_content_manager_remove_script(manager, script)
      webkit_user_script_unref(script)
    }
    scripts = []
  }

  isolated deinit { g_object_unref(UnsafeMutableRawPointer(manager)) }
}
