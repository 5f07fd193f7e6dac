#if canImport(UIKit)
  public import UIKit
#endif

/// The delegate of the SDK: decides about windows, theme, login method and region (contract, section 1.2).
///
/// Set it as ``Onside/delegate``, which holds it weakly. Every member has a default, and each is asked anew every time;
/// the answers are not kept.
///
/// ```swift
/// final class AppDelegateOfOnside: OnsideDelegate {
///   func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode? {
///     switch screen {
///     case .login: .dark
///     case .payment, .paymentMethods: .auto
///     default: nil
///     }
///   }
///   func onsideShouldForceLocalLoginMethods() -> Bool { true }
///   func onsideDefaultCountryCodeAssumption() -> String? { "NL" }
/// }
/// ```
@preconcurrency @MainActor
public protocol OnsideDelegate: AnyObject {
  #if canImport(UIKit)
    /// The window scene over which the system's sign-in sheet shows a screen; `nil`, the default, lets the SDK choose.
    ///
    /// Asked each time a screen is shown, on iOS only, and only while the app has given no presenter of its own.
    func onside(hostWindowSceneForScreen screen: OnsideScreen) -> UIWindowScene?
  #endif
  /// The theme of one screen; `nil`, the default, takes the theme of ``OnsideAppearance``. Asked each time a screen is
  /// shown.
  ///
  /// - Parameter screen: the screen; further ones may come with later releases.
  func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode?
  /// Whether a login uses the SDK's own screen and is not handed over to the store's app; `false` by default.
  ///
  /// Asked at each login (ACC-7). It changes where the user logs in, not with which account.
  func onsideShouldForceLocalLoginMethods() -> Bool
  /// The user's likely country while logged out, ISO 3166-1 alpha-2; `nil`, the default, takes the system's region.
  ///
  /// Asked when a products request starts, a payment is added or a login begins, and never while an account is logged
  /// in or in local testing (STF-1, STF-2). It is trimmed and upper-cased; what is no country code is ignored, with one
  /// warning (STF-3). It only chooses what is shown: a purchase runs in the account's country.
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
