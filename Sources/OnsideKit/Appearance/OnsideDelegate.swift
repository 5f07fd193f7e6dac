#if canImport(UIKit)
  public import UIKit
#endif

/// Answers the SDK's questions about screens, login and region (contract, section 1.2). Held weakly; every member has a
/// default.
@preconcurrency @MainActor
public protocol OnsideDelegate: AnyObject {
  #if canImport(UIKit)
    /// The window scene in which a screen is shown; with `nil`, the default, the SDK chooses.
    func onside(hostWindowSceneForScreen screen: OnsideScreen) -> UIWindowScene?
  #endif
  /// The theme of one screen; with `nil`, the default, ``OnsideAppearance`` decides.
  func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode?
  /// Whether logins stay with the store's own methods, without a hand-over to another app; `false` by default. Asked at
  /// each login.
  func onsideShouldForceLocalLoginMethods() -> Bool
  /// The user's likely country, ISO 3166-1 alpha-2, while signed out; with `nil`, the default, the system's region is
  /// used. Asked when a products request starts.
  func onsideDefaultCountryCodeAssumption() -> String?
}

extension OnsideDelegate {
  #if canImport(UIKit)
    /// `nil`: the SDK chooses.
    public func onside(hostWindowSceneForScreen screen: OnsideScreen) -> UIWindowScene? { nil }
  #endif
  /// `nil`: ``OnsideAppearance`` decides.
  public func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode? { nil }
  /// `false`.
  public func onsideShouldForceLocalLoginMethods() -> Bool { false }
  /// `nil`: the system's region is used.
  public func onsideDefaultCountryCodeAssumption() -> String? { nil }
}
