/// What one hosted page shows. A page is a value: everything on it is decided before it is rendered.
///
/// Templates see the page's stored properties as `page.…`, the texts as `t.…` and the anti-forgery token as `csrf`.
package protocol Page: Sendable {
  /// The mustache template of what is inside the page's frame.
  static var template: String { get }
  /// Pieces of the page's module that the template includes as `{{>name}}`, beside ``PageParts``.
  static var parts: [String: String] { get }
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
  package static var parts: [String: String] { [:] }
  package static var frame: PageFrame { .flow }
  package func brand(_ texts: Texts) -> String? { nil }
  package var hasError: Bool { false }
}

/// The frame around a page.
package struct PageFrame: Sendable {
  /// A class of the stylesheet that limits the width; empty for the full column.
  package var width = ""
  /// A class of the body element.
  package var bodyClass = ""
  /// True for pages of a login or a payment: nothing leads away from them but their own buttons.
  package var isFlow = false
  /// Seconds after which the browser asks again by itself.
  package var refresh: Int?

  package init(width: String = "", bodyClass: String = "", isFlow: Bool = false, refresh: Int? = nil) {
    self.width = width
    self.bodyClass = bodyClass
    self.isFlow = isFlow
    self.refresh = refresh
  }

  static let flow = PageFrame(width: "narrow", isFlow: true)
  package static let site = PageFrame()
  package static let medium = PageFrame(width: "medium")
}

/// A link that is chosen from several.
package struct PageLink: Sendable {
  package var label: String
  package var address: String

  package init(label: String, address: String) {
    self.label = label
    self.address = address
  }
}

/// One entry of a list to choose from.
package struct PageOption: Sendable {
  package var value: String
  package var label: String
  package var isChosen = false

  package init(value: String, label: String, isChosen: Bool = false) {
    self.value = value
    self.label = label
    self.isChosen = isChosen
  }
}

/// A field of a form that a page repeats and its reader does not see.
package struct HiddenField: Sendable {
  var name: String
  var value: String
}

extension [HiddenField] {
  package init(_ fields: [(String, String)]) { self = fields.map { HiddenField(name: $0.0, value: $0.1) } }
}
