/// A step from a visit to a running app (contract, section 4.4).
public enum AttributionLabel: String, Sendable, CaseIterable {
  /// Somebody opened a landing page.
  case landingPageVisited = "landing_page_visited"
  /// They pressed its install button.
  case installButtonTapped = "install_button_tapped"
  /// The store's own app was installed.
  case storeAppInstalled = "store_app_installed"
  /// The app was installed: known from its first call.
  case appInstalled = "app_installed"
  /// The app was started for the first time.
  case appLaunched = "app_launched"
}
