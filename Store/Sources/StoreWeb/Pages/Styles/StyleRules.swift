import StoreBase

/// The rules of the stylesheet, by what they are about.
package enum StyleRules {
  /// Text, links, focus and motion.
  static let base = String(embedded: PackageResources.base_css)
  /// The frame of every page: header, one column of cards, footer.
  static let layout = String(embedded: PackageResources.layout_css)
  /// Buttons, fields and choices. Every target is at least 44 pixels high.
  static let controls = String(embedded: PackageResources.controls_css)
  /// Badges, notices, product cards, lists of facts and the bank.
  static let components = String(embedded: PackageResources.components_css)
  /// Pages on paper: without colours, buttons and what only serves on a screen.
  static let print = String(embedded: PackageResources.print_css)
}
