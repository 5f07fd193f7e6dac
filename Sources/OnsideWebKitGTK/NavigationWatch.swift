import CWebKitGTK
import Foundation

/// Hears of each navigation of a view before it begins, and may take it: the view then stays where it is.
@GTKActor
final class NavigationWatch {
  private let takes: @GTKActor (URL) -> Bool

  private init(_ takes: @escaping @GTKActor (URL) -> Bool) { self.takes = takes }

  /// Watches a view for as long as it lives.
  static func attach(to view: UnsafeMutablePointer<WebKitWebView>, _ takes: @escaping @GTKActor (URL) -> Bool) {
    typealias Decide = @convention(c) (gpointer?, gpointer?, WebKitPolicyDecisionType, gpointer?) -> gboolean
    let decide: Decide = { _, decision, kind, receiver in
      guard let decision else { return 0 }
      let policy = FromC(decision.assumingMemoryBound(to: WebKitPolicyDecision.self))
      var isDecided = false
      Signals.with(receiver, as: NavigationWatch.self) { isDecided = $0.decides(policy.value, kind) }
      return isDecided ? 1 : 0
    }
    Signals.connect(
      view, signal: "decide-policy", to: NavigationWatch(takes), function: unsafeBitCast(decide, to: GCallback.self))
  }

  private func decides(_ policy: UnsafeMutablePointer<WebKitPolicyDecision>, _ kind: WebKitPolicyDecisionType) -> Bool {
    guard kind == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION,
      let action = webkit_navigation_policy_decision_get_navigation_action(OpaquePointer(policy)),
      let request = webkit_navigation_action_get_request(action),
      let text = webkit_uri_request_get_uri(request),
      let address = URL(string: String(cString: text)), takes(address)
    else { return false }
    webkit_policy_decision_ignore(policy)
    return true
  }
}
