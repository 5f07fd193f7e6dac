package import Foundation

/// What presenters with a browser elsewhere share: listen, let `show` bring the page before the user, wait.
package struct LoopbackScreen: Sendable {
  /// How long a screen stays open, in seconds; then it counts as dismissed.
  package static let deadline = 600.0

  private let sleep: @Sendable (Double) async throws -> Void
  private let show: @Sendable (OnsideScreen, URL) async throws(ScreenPresentationError) -> Void

  package init(
    sleep: @escaping @Sendable (Double) async throws -> Void,
    show: @escaping @Sendable (OnsideScreen, URL) async throws(ScreenPresentationError) -> Void
  ) {
    self.sleep = sleep
    self.show = show
  }

  package func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    let listener = try LoopbackListener(sleep: sleep)
    let redirect = listener.redirect
    let address = try await page(redirect)
    let expected = ExpectedRedirect(to: redirect, from: address)
    return try await withThrowingTaskGroup(of: ScreenOutcome?.self) { group in
      // Some systems keep the opener running as long as the browser runs, so listening does not wait for it.
      group.addTask {
        try await show(screen, address)
        return nil
      }
      group.addTask {
        let arrived = try await withDeadline(Self.deadline, sleep: sleep) {
          await listener.firstRedirect(where: expected.accepts)
        }
        return (arrived ?? nil).map(ScreenOutcome.redirected) ?? .dismissed
      }
      defer { group.cancelAll() }
      while let outcome = try await group.next() {
        if let outcome { return outcome }
      }
      return .dismissed
    }
  }
}
