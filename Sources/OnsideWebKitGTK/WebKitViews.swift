import CWebKitGTK
import Foundation
import OnsideKit

/// Web views as WebKit makes them.
@GTKActor
enum WebKitViews {
  /// The session of the SDK's screens: cookies and storage are kept for as long as the process runs.
  static let screenSession: OpaquePointer = webkit_network_session_new_ephemeral()

  /// A view; the caller owns it, or the widget that it is put into.
  /// - Parameter session: cookies and storage; WebKit's default session when nil.
  static func make(session: OpaquePointer? = nil) -> UnsafeMutablePointer<WebKitWebView> {
    _ = preferLanguages
    defer { ExitGuard.renew() }
    guard let session else { return webkit_web_view_new().retyped() }
    var value = GValue()
    g_value_init(&value, webkit_network_session_get_type())
    g_value_set_object(&value, UnsafeMutableRawPointer(session))
    defer { g_value_unset(&value) }
    let object = "network-session".withCString { name in
      var names: [UnsafePointer<CChar>?] = [name]
      return g_object_new_with_properties(webkit_web_view_get_type(), 1, &names, &value)
    }
    guard let object else { return webkit_web_view_new().retyped() }
    return object.retyped()
  }

  /// Without this a page under the locale `C` finds `C` in `navigator.language`, which `Intl` does not take.
  private static let preferLanguages: Void = {
    let known = POSIXLocale(environment: ProcessInfo.processInfo.environment).languages
    let languages = (known.isEmpty ? ["en-US"] : known).map { g_strdup($0) }
    defer { for language in languages { g_free(language) } }
    webkit_web_context_set_preferred_languages(
      webkit_web_context_get_default(), languages.map { UnsafePointer($0) } + [nil])
  }()
}
