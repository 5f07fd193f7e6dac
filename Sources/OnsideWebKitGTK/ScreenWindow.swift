import CWebKitGTK
import Foundation
import OnsideKit

/// A window with one of the SDK's screens, from its opening to its outcome.
@GTKActor
package final class ScreenWindow {
  /// The windows of screens that are open, for a scripted user.
  package private(set) static var open: [OnsideWebWindow] = []

  private let window: OnsideWebWindow
  private let isEnd: @Sendable (URL) -> Bool
  private var finish: CheckedContinuation<ScreenOutcome, Never>?

  /// Shows a page until it leads to an address that ends it, or until its window or the task is closed.
  static func outcome(of address: URL, endsAt isEnd: @escaping @Sendable (URL) -> Bool) async -> ScreenOutcome {
    let screen = ScreenWindow(isEnd)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { screen.open(address, $0) }
    } onCancel: {
      Task { @GTKActor in screen.end(.dismissed) }
    }
  }

  private init(_ isEnd: @escaping @Sendable (URL) -> Bool) {
    self.isEnd = isEnd
    window = OnsideWebWindow(
      WebKitViews.make(session: WebKitViews.screenSession), title: "Onside", width: 460, height: 720)
  }

  private func open(_ address: URL, _ finish: CheckedContinuation<ScreenOutcome, Never>) {
    self.finish = finish
    Self.open.append(window)
    typealias Decide = @convention(c) (gpointer?, gpointer?, WebKitPolicyDecisionType, gpointer?) -> gboolean
    let decide: Decide = { _, decision, kind, receiver in
      guard let decision else { return 0 }
      let policy = FromC(decision.assumingMemoryBound(to: WebKitPolicyDecision.self))
      var isDecided = false
      Signals.with(receiver, as: ScreenWindow.self) { isDecided = $0.decides(policy.value, kind) }
      return isDecided ? 1 : 0
    }
    Signals.connect(window.view, "decide-policy", to: self, unsafeBitCast(decide, to: GCallback.self))
    window.onClose = { self.end(.dismissed) }
    if Task.isCancelled { return end(.dismissed) }
    window.show(address)
  }

  private func decides(_ policy: UnsafeMutablePointer<WebKitPolicyDecision>, _ kind: WebKitPolicyDecisionType) -> Bool {
    guard kind == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION,
      let action = webkit_navigation_policy_decision_get_navigation_action(OpaquePointer(policy)),
      let request = webkit_navigation_action_get_request(action),
      let text = webkit_uri_request_get_uri(request),
      let address = URL(string: String(cString: text)), isEnd(address)
    else { return false }
    webkit_policy_decision_ignore(policy)
    end(.redirected(address))
    return true
  }

  private func end(_ outcome: ScreenOutcome) {
    guard let finish else { return }
    self.finish = nil
    Self.open.removeAll { $0 === window }
    finish.resume(returning: outcome)
    // Not at once: WebKit still holds what it has asked about.
    Task { @GTKActor in window.close() }
  }
}
