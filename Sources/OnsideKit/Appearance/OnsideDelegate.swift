#if canImport(UIKit)
  public import UIKit
#endif

/// Answers the SDK's questions about screens, login and region (contract, section 1.2). Held weakly; every member has a
/// default.
@preconcurrency @MainActor
public protocol OnsideDelegate: AnyObject {
  #if canImport(UIKit)
    /// The window scene in which a screen is shown; `nil`, the default, lets the SDK choose.
    func onside(hostWindowSceneForScreen screen: OnsideScreen) -> UIWindowScene?
  #endif
  /// The theme of one screen; `nil`, the default, leaves it to ``OnsideAppearance``.
  func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode?
  /// Whether logins stay with the store's own methods, without a hand-over to another app; `false` by default. Asked at
  /// each login.
  func onsideShouldForceLocalLoginMethods() -> Bool
  /// The user's likely country, ISO 3166-1 alpha-2, while nobody is signed in; `nil`, the default, leaves it to the
  /// system's region. Asked when a products request starts.
  func onsideDefaultCountryCodeAssumption() -> String?
}

extension OnsideDelegate {
  #if canImport(UIKit)
    /// Lets the SDK choose.
    public func onside(hostWindowSceneForScreen screen: OnsideScreen) -> UIWindowScene? { nil }
  #endif
  /// Leaves it to ``OnsideAppearance``.
  public func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode? { nil }
  /// No.
  public func onsideShouldForceLocalLoginMethods() -> Bool { false }
  /// Leaves it to the system's region.
  public func onsideDefaultCountryCodeAssumption() -> String? { nil }
}
