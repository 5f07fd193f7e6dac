// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The few symbols of Apple's UIKit that OnsideKit names, as declared in Apple's documentation, without a body.

public import Foundation

@MainActor open class UIWindowScene {}
@MainActor open class UIWindow {}

@MainActor open class UIApplication {
  public class var shared: UIApplication { UIApplication() }
  public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
  public nonisolated static let willEnterForegroundNotification = Notification.Name(
    "UIApplicationWillEnterForegroundNotification")
  open func canOpenURL(_ url: URL) -> Bool { false }
  open func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any]) async -> Bool { false }
}
