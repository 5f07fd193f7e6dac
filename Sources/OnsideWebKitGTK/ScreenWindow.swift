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
  static func outcome(
    of address: URL, reminders: AsyncStream<Void>, endsAt isEnd: @escaping @Sendable (URL) -> Bool
  ) async -> ScreenOutcome {
    let screen = ScreenWindow(isEnd)
    let reminding = Task { @GTKActor in
      for await _ in reminders { screen.window.bringForward() }
    }
    defer { reminding.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { screen.open(address, finish: $0) }
    } onCancel: {
      Task { @GTKActor in screen.end(.dismissed) }
    }
  }

  private init(_ isEnd: @escaping @Sendable (URL) -> Bool) {
    self.isEnd = isEnd
    window = OnsideWebWindow(
      WebKitViews.make(session: WebKitViews.screenSession), title: "Onside", width: 460, height: 720)
  }

  private func open(_ address: URL, finish: CheckedContinuation<ScreenOutcome, Never>) {
    self.finish = finish
    Self.open.append(window)
    NavigationWatch.attach(to: window.view) { [weak self] address in self?.takes(address) ?? false }
    window.onClose = { self.end(.dismissed) }
    if Task.isCancelled { return end(.dismissed) }
    window.show(address)
  }

  private func takes(_ address: URL) -> Bool {
    guard isEnd(address) else { return false }
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
