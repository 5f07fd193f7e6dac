/// What an app may set before anything is initialized: its delegate, its callback scheme and the appearance.
@MainActor
final class OnsideHost {
  weak var delegate: (any OnsideDelegate)?
  var callbackScheme: String?
  let appearance = OnsideAppearance()

  /// The delegate's theme for the screen, else the app's.
  func theme(of screen: OnsideScreen) -> OnsideUIThemeMode {
    delegate?.onside(uiThemeOverrideForScreen: screen) ?? appearance.themeMode
  }
}
