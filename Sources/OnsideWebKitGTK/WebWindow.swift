import CWebKitGTK
import Foundation

/// A window around a web view: the page's title, and beneath it where the page comes from. Escape and Ctrl+W close it.
@GTKActor
final class WebWindow {
  let view: UnsafeMutablePointer<WebKitWebView>
  /// Called once, when the window has gone.
  var onClose: (@GTKActor () -> Void)?

  private let window: UnsafeMutablePointer<GtkWindow>
  private let titleLabel: OpaquePointer
  private let originLabel: OpaquePointer
  private let fallbackTitle: String
  private var isOpen = true

  /// A window that is not shown yet.
  init(_ view: UnsafeMutablePointer<WebKitWebView>, title: String, width: Int32, height: Int32) {
    self.view = view
    fallbackTitle = title
    window = gtk_window_new().retyped()
    titleLabel = OpaquePointer(gtk_label_new(title))
    originLabel = OpaquePointer(gtk_label_new(nil))
    gtk_window_set_default_size(window, width, height)
    gtk_window_set_titlebar(window, header())
    gtk_window_set_child(window, view.retyped())
    addShortcuts()
    listen()
    refresh()
  }

  func show() {
    gtk_window_present(window)
    gtk_widget_grab_focus(view.retyped())
  }

  func close() {
    if isOpen { gtk_window_destroy(window) }
  }

  // MARK: Parts

  private func header() -> UnsafeMutablePointer<GtkWidget> {
    let lines: UnsafeMutablePointer<GtkBox> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0).retyped()
    gtk_widget_set_valign(lines.retyped(), GTK_ALIGN_CENTER)
    for (label, style) in [(titleLabel, "title"), (originLabel, "subtitle")] {
      gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_MIDDLE)
      gtk_label_set_single_line_mode(label, 1)
      gtk_widget_add_css_class(UnsafeMutablePointer(label), style)
      gtk_box_append(lines, UnsafeMutablePointer(label))
    }
    let bar = gtk_header_bar_new()
    gtk_header_bar_set_title_widget(bar.map(OpaquePointer.init), lines.retyped())
    return bar.retyped()
  }

  private func addShortcuts() {
    let controller = gtk_shortcut_controller_new()
    gtk_shortcut_controller_add_shortcut(
      controller,
      gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Escape|<Control>w"), gtk_named_action_new("window.close")))
    gtk_widget_add_controller(window.retyped(), controller)
  }

  private func listen() {
    typealias Changed = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
    let changed: Changed = { _, _, receiver in Signals.with(receiver, as: Weakly.self) { $0.window?.refresh() } }
    for property in ["notify::title", "notify::uri"] {
      Signals.connect(view, property, to: Weakly(self), unsafeBitCast(changed, to: GCallback.self))
    }
    typealias Destroyed = @convention(c) (gpointer?, gpointer?) -> Void
    let destroyed: Destroyed = { _, receiver in Signals.with(receiver, as: WebWindow.self) { $0.closed() } }
    // This reference keeps the window's object for as long as the window is there.
    Signals.connect(window, "destroy", to: self, unsafeBitCast(destroyed, to: GCallback.self))
  }

  private func closed() {
    guard isOpen else { return }
    isOpen = false
    onClose?()
    onClose = nil
  }

  private func refresh() {
    guard isOpen else { return }
    let title = webkit_web_view_get_title(view).map { String(cString: $0) } ?? ""
    let shown = title.isEmpty ? fallbackTitle : title
    gtk_window_set_title(window, shown)
    gtk_label_set_text(titleLabel, shown)
    let address = webkit_web_view_get_uri(view).flatMap { URL(string: String(cString: $0)) }
    gtk_label_set_text(originLabel, address.map(Self.origin) ?? "")
  }

  /// Where a page comes from, as people should read it.
  private static func origin(of address: URL) -> String {
    guard let scheme = address.scheme, let host = address.host(), !host.isEmpty else { return "" }
    return "\(scheme)://\(host)" + (address.port.map { ":\($0)" } ?? "")
  }

  private final class Weakly {
    weak var window: WebWindow?
    init(_ window: WebWindow) { self.window = window }
  }
}
