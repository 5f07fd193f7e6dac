/// The appearance of the SDK's screens: their theme (contract, section 1.2). Get it from ``Onside/appearance()``.
///
/// ```swift
/// Onside.appearance().setThemeMode(.dark)
/// ```
@preconcurrency @MainActor
public final class OnsideAppearance {
  /// The theme of screens for which the delegate has no other; `.auto`, the system's, until it is set.
  public private(set) var themeMode = OnsideUIThemeMode.auto

  init() {}

  /// Sets the theme of every screen that is shown from now on; an open screen keeps its own.
  ///
  /// It is not stored: set it at each launch. ``OnsideDelegate/onside(uiThemeOverrideForScreen:)`` overrides it for one
  /// screen.
  ///
  /// - Parameter mode: light, dark, or as the system has it.
  public func setThemeMode(_ mode: OnsideUIThemeMode) { themeMode = mode }
}
