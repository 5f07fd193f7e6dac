public import CWebKitGTK
public import Foundation

/// A window around a web view: the page's title, and beneath it where the page comes from. Escape and Ctrl+W close it.
///
/// For apps that are a web page, and have no windows of their own:
/// ```swift
/// let window = try await OnsideWebWindow.open("Shop")
/// try await OnsideJS.configureOnsideForWebView(window, allowedOrigins: ["https://shop.example"])
/// await window.show(URL(string: "https://shop.example")!)
/// await window.closed()
/// ```
@GTKActor
public final class OnsideWebWindow {
  /// The view; it lives as long as the window is open.
  public let view: UnsafeMutablePointer<WebKitWebView>
  /// Called once, when the window has gone.
  var onClose: (@GTKActor () -> Void)?

  let gtkWindow: UnsafeMutablePointer<GtkWindow>
  private let titleLabel: OpaquePointer
  private let originLabel: OpaquePointer
  private let fallbackTitle: String
  private(set) var isOpen = true
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var loads: [PageLoad] = []

  /// A window that is not shown yet, on GTK's thread, which is started unless it runs.
  /// - Parameters:
  ///   - title: until the page has one.
  ///   - width: of the content, in GTK's pixels.
  ///   - height: of the content, in GTK's pixels.
  /// - Throws: ``WebViewError/noDisplay``.
  public static func open(
    _ title: String, width: Int32 = 480, height: Int32 = 800
  ) async throws(WebViewError) -> OnsideWebWindow {
    try await GTKActor.start()
    return OnsideWebWindow(WebKitViews.make(), title: title, width: width, height: height)
  }

  init(_ view: UnsafeMutablePointer<WebKitWebView>, title: String, width: Int32, height: Int32) {
    self.view = view
    fallbackTitle = title
    gtkWindow = gtk_window_new().retyped()
    titleLabel = OpaquePointer(gtk_label_new(title))
    originLabel = OpaquePointer(gtk_label_new(nil))
    gtk_window_set_default_size(gtkWindow, width, height)
    gtk_window_set_titlebar(gtkWindow, header())
    gtk_window_set_child(gtkWindow, view.retyped())
    addShortcuts()
    listen()
    refresh()
  }

  /// Loads a page, and shows the window.
  public func show(_ address: URL) {
    guard isOpen else { return }
    webkit_web_view_load_uri(view, address.absoluteString)
    gtk_window_present(gtkWindow)
    gtk_widget_grab_focus(view.retyped())
  }

  /// Brings the window before the user again, with the page as it is.
  func bringForward() {
    if isOpen { gtk_window_present(gtkWindow) }
  }

  /// Closes the window.
  public func close() {
    if isOpen { gtk_window_destroy(gtkWindow) }
  }

  /// Returns when the window has been closed.
  public func closed() async {
    guard isOpen else { return }
    await withCheckedContinuation { waiters.append($0) }
  }

  /// The view, as long as it is there.
  var openView: UnsafeMutablePointer<WebKitWebView> {
    get throws(WebViewError) {
      guard isOpen else { throw .windowClosed }
      return view
    }
  }

  /// Begins to load a page, and waits until it has loaded.
  func load(_ begin: () -> Void) async throws(WebViewError) {
    let load = PageLoad(try openView)
    loads.append(load)
    defer { loads.removeAll { $0 === load } }
    try await load.run(begin)
  }

  var isLoading: Bool { !loads.isEmpty }

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
    gtk_widget_add_controller(gtkWindow.retyped(), controller)
  }

  private func listen() {
    typealias Changed = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
    let changed: Changed = { _, _, receiver in Signals.with(receiver, as: Weakly.self) { $0.window?.refresh() } }
    for property in ["notify::title", "notify::uri"] {
      Signals.connect(view, signal: property, to: Weakly(self), function: unsafeBitCast(changed, to: GCallback.self))
    }
    typealias Destroyed = @convention(c) (gpointer?, gpointer?) -> Void
    let destroyed: Destroyed = { _, receiver in Signals.with(receiver, as: OnsideWebWindow.self) { $0.wasClosed() } }
    // This reference keeps the window's object for as long as the window is there.
    Signals.connect(gtkWindow, signal: "destroy", to: self, function: unsafeBitCast(destroyed, to: GCallback.self))
  }

  private func wasClosed() {
    guard isOpen else { return }
    isOpen = false
    onClose?()
    onClose = nil
    for load in loads { load.end(.windowClosed) }
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  private func refresh() {
    guard isOpen else { return }
    let title = webkit_web_view_get_title(view).map { String(cString: $0) } ?? ""
    let shown = title.isEmpty ? fallbackTitle : title
    gtk_window_set_title(gtkWindow, shown)
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
    weak var window: OnsideWebWindow?
    init(_ window: OnsideWebWindow) { self.window = window }
  }
}
