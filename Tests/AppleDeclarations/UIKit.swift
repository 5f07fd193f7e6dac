// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The few symbols of Apple's UIKit that OnsideKit names, as declared in Apple's documentation, without a body.

public import Foundation

@MainActor open class UIScene: NSObject {
  public enum ActivationState: Int { case unattached = -1, foregroundActive, foregroundInactive, background }
  open var activationState: ActivationState { .unattached }
}

@MainActor open class UIWindowScene: UIScene {
  open var keyWindow: UIWindow? { nil }
  open var windows: [UIWindow] { [] }
}

@MainActor open class UIWindow {
  public init() {}
  public init(windowScene: UIWindowScene) {}
}

@MainActor open class UIApplication {
  public class var shared: UIApplication { UIApplication() }
  public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
  public nonisolated static let willEnterForegroundNotification = Notification.Name(
    "UIApplicationWillEnterForegroundNotification")
  open var connectedScenes: Set<UIScene> { [] }
  open func canOpenURL(_ url: URL) -> Bool { false }
  open func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any]) async -> Bool { false }
}
