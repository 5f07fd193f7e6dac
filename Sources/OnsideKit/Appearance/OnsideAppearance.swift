/// How the SDK's screens look (contract, section 1.2).
@preconcurrency @MainActor
public final class OnsideAppearance {
  /// The theme of screens for which the delegate has no other; `.auto` at first.
  public private(set) var themeMode = OnsideUIThemeMode.auto

  init() {}

  /// Sets the theme of every screen that is shown from now on.
  public func setThemeMode(_ mode: OnsideUIThemeMode) { themeMode = mode }
}
