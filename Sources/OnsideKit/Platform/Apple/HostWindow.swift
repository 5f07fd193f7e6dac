#if canImport(UIKit) && canImport(AuthenticationServices)
  import UIKit

  extension OnsideHost {
    /// The window over which a screen is shown: in the scene that the delegate names, else in the one that the user
    /// sees.
    func window(for screen: OnsideScreen) -> UIWindow {
      let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
      let visible = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
      guard let scene = delegate?.onside(hostWindowSceneForScreen: screen) ?? visible else { return UIWindow() }
      return scene.keyWindow ?? scene.windows.first ?? UIWindow(windowScene: scene)
    }

    /// Shows pages in the system's sign-in sheet. It needs no set-up: the system hands the redirect to the sheet, so
    /// the scheme need not be registered in Info.plist.
    /// - Parameter scheme: the scheme for apps that have set none.
    func sheets(scheme: String) -> any ScreenPresenter {
      WebAuthenticationPresenter(
        scheme: { [weak self] in self?.callbackScheme ?? scheme },
        over: { [weak self] screen in self?.window(for: screen) ?? UIWindow() })
    }
  }
#endif
