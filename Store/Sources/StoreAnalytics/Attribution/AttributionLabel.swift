/// An attribution event: a step from a visit of a landing page to a running app (contract, section 4.4).
public enum AttributionLabel: String, Sendable, CaseIterable {
  /// A visitor opened a landing page.
  case landingPageVisited = "landing_page_visited"
  /// The visitor pressed the page's install button.
  case installButtonTapped = "install_button_tapped"
  /// The store's own app was installed.
  case storeAppInstalled = "store_app_installed"
  /// The app was installed; its first call shows that.
  case appInstalled = "app_installed"
  /// The app was started for the first time.
  case appLaunched = "app_launched"
}
