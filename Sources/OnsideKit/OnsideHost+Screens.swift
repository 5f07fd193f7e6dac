extension OnsideHost {
  /// The presenter of an app that has chosen none, where the one that was given is only the default for systems with a
  /// browser and no sign-in sheet.
  /// - Parameter scheme: the scheme under which pages come back to an app that has set none.
  func presenter(insteadOf given: any ScreenPresenter, scheme: String) -> any ScreenPresenter {
    #if canImport(UIKit) && canImport(AuthenticationServices)
      given is SystemBrowserPresenter ? sheets(scheme: scheme) : given
    #else
      given
    #endif
  }
}
