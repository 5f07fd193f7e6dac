import CWebKitGTK
package import Foundation

/// What the window of an app of its own needs beyond a page: for `onside-storeapp`.
extension OnsideWebWindow {
  /// A window whose cookies and storage are kept in a folder.
  package static func open(
    _ title: String, width: Int32, height: Int32, dataFolder: URL
  ) async throws(WebViewError) -> OnsideWebWindow {
    try await GTKActor.start()
    let folder = dataFolder.path(percentEncoded: false)
    let session: OpaquePointer = webkit_network_session_new(folder, folder)
    webkit_cookie_manager_set_persistent_storage(
      webkit_network_session_get_cookie_manager(session),
      dataFolder.appending(path: "cookies.db").path(percentEncoded: false),
      WEBKIT_COOKIE_PERSISTENT_STORAGE_SQLITE)
    defer { g_object_unref(UnsafeMutableRawPointer(session)) }
    return OnsideWebWindow(WebKitViews.make(session: session), title: title, width: width, height: height)
  }

  /// Asks before each navigation; one that is taken does not happen.
  package func watchNavigations(_ takes: @escaping @GTKActor (URL) -> Bool) {
    NavigationWatch.attach(to: view, takes)
  }

  /// Brings the window before the user.
  package func present() {
    if isOpen { gtk_window_present(gtkWindow) }
  }

  /// Shows a page that comes from no address, in place of what is there, and the window.
  package func show(html: String) {
    guard isOpen else { return }
    webkit_web_view_load_html(view, html, nil)
    gtk_window_present(gtkWindow)
  }

  /// Where the page comes from that is shown; nil before the first.
  package var address: URL? {
    guard isOpen else { return nil }
    return webkit_web_view_get_uri(view).flatMap { URL(string: String(cString: $0)) }
  }
}
