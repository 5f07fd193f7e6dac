import OnsideKit
import UIKit
import WebKit

// The published calls that name types of Apple's systems. `script/check-apple` compiles them as Swift 5 and 6.

/// Chooses the scene of the SDK's windows (contract, section 1.2).
final class SceneDelegateOfOnside: OnsideDelegate {
  private let scene: UIWindowScene?

  @MainActor
  init(_ scene: UIWindowScene?) {
    self.scene = scene
    Onside.delegate = self
  }

  func onside(hostWindowSceneForScreen screen: OnsideScreen) -> UIWindowScene? { scene }
  func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode? { .dark }
  func onsideShouldForceLocalLoginMethods() -> Bool { true }
  func onsideDefaultCountryCodeAssumption() -> String? { "NL" }
}

/// Gives a web view the bridge (contract, section 1.7).
@MainActor
final class WebViewCalls {
  func configure(_ webView: WKWebView) throws {
    try OnsideJS.configureOnsideForWebView(webView, allowedOrigins: ["https://shop.example"])
  }
}
