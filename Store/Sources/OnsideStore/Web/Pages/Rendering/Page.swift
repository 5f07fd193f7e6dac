/// What one hosted page shows. A page is a value: everything on it is decided before it is rendered.
///
/// Templates see the page's stored properties as `page.…`, the texts as `t.…` and the anti-forgery token as `csrf`.
protocol Page: Sendable {
  /// The mustache template of what is inside the page's frame.
  static var template: String { get }
  /// How wide the column is, and whether the page stands alone in a window that an app opened.
  static var frame: PageFrame { get }
  /// The page's title, also for screen readers.
  func title(_ texts: Texts) -> String
  /// The name at the top, when it is not the store's.
  func brand(_ texts: Texts) -> String?
  /// True when the page comes back because something on it must be corrected; the title then says so.
  var hasError: Bool { get }
}

extension Page {
  static var frame: PageFrame { .flow }
  func brand(_ texts: Texts) -> String? { nil }
  var hasError: Bool { false }
}

/// The frame around a page.
struct PageFrame: Sendable {
  /// A class of the stylesheet that limits the width; empty for the full column.
  var width = ""
  /// A class of the body element.
  var bodyClass = ""
  /// True for pages of a login or a payment: nothing leads away from them but their own buttons.
  var isFlow = false
  /// Seconds after which the browser asks again by itself.
  var refresh: Int?

  static let flow = PageFrame(width: "narrow", isFlow: true)
  static let site = PageFrame()
  static let medium = PageFrame(width: "medium")
}

/// A link that is chosen from several.
struct PageLink: Sendable {
  var label: String
  var address: String
}

/// One entry of a list to choose from.
struct PageOption: Sendable {
  var value: String
  var label: String
  var isChosen = false
}

/// A field of a form that a page repeats and its reader does not see.
struct HiddenField: Sendable {
  var name: String
  var value: String
}

extension [HiddenField] {
  init(_ fields: [(String, String)]) { self = fields.map { HiddenField(name: $0.0, value: $0.1) } }
}
