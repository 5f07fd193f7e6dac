import StoreBase

/// Icons, and pieces that templates of several modules include. Pieces of one module are `parts` of its pages.
package enum PageParts {
  /// The templates of the pieces, by the names that `{{>name}}` includes them by.
  static let all = [
    "alert": PackageResources.alert_mustache,
    "arrow": PackageResources.arrow_mustache,
    "cancel": PackageResources.cancel_mustache,
    "card": PackageResources.card_mustache,
    "check": PackageResources.check_mustache,
    "csrf": PackageResources.csrf_mustache,
    "info": PackageResources.info_mustache,
    "mark": PackageResources.mark_mustache,
    "region-options": PackageResources.region_options_mustache,
  ].mapValues { String(embedded: $0) }

  /// The logo as a file of its own, for the browser's tab.
  package static let icon = String(embedded: PackageResources.mark_svg)
}
