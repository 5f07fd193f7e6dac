import CWebKitGTK
public import Foundation

/// Why a web view or a window could not be set up.
public struct WebViewError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected, what came and what to do.
  public let description: String

  init(_ description: String) { self.description = description }

  /// Takes over what GLib reports.
  init(taking error: UnsafeMutablePointer<GError>?, expected: String) {
    defer { if let error { g_error_free(error) } }
    let message = error?.pointee.message.map { String(cString: $0) } ?? "nothing"
    self.init("expected \(expected), got: \(message)")
  }

  /// There is no display.
  public static let noDisplay = WebViewError(
    "expected a display for GTK, got none; set DISPLAY or WAYLAND_DISPLAY, or run the program with xvfb-run -a")
  /// The view was configured before, or shares its user content manager with one that was.
  public static let alreadyConfigured = WebViewError(
    """
    expected a web view without Onside's bridge, got one that has it, or that shares its user content manager with one \
    that has; configure each view once, and give each a user content manager of its own
    """)
  /// The window was closed, and its view with it.
  public static let windowClosed = WebViewError("expected an open window, got one that was closed; open another")
  /// None of the allowed origins can be one.
  static func badOrigin(_ text: String) -> WebViewError {
    WebViewError(
      "expected an origin such as https://shop.example or http://127.0.0.1:8080, got \(text.debugDescription)")
  }
}

extension WebViewError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
