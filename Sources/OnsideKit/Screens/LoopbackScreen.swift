package import Foundation
import Synchronization

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
    _ screen: OnsideScreen, reminders: AsyncStream<Void>,
    page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    let listener = try LoopbackListener(sleep: sleep)
    let redirect = listener.redirect
    let address = try await page(redirect)
    let expected = ExpectedRedirect(to: redirect, from: address)
    let openings = PageOpenings { [show] () throws(ScreenPresentationError) in try await show(screen, address) }
    defer { openings.end() }
    return try await withThrowingTaskGroup(of: ScreenOutcome?.self) { group in
      openings.open()
      group.addTask {
        for await failure in openings.failures { throw failure }
        return nil
      }
      group.addTask {
        for await _ in reminders { openings.open() }
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

/// The openings of one page. No task waits for them: where no desktop helper is installed, `xdg-open` runs the browser
/// in the foreground and returns when the user quits it, and a cancellation does not end a blocked `waitpid`.
private final class PageOpenings: Sendable {
  /// Yields once when the page could not be opened at all.
  let failures: AsyncStream<ScreenPresentationError>

  private let failed: AsyncStream<ScreenPresentationError>.Continuation
  private let show: @Sendable () async throws(ScreenPresentationError) -> Void
  private let tasks = Mutex<[Task<Void, Never>]>([])

  init(_ show: @escaping @Sendable () async throws(ScreenPresentationError) -> Void) {
    self.show = show
    (failures, failed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Opens the page. A failure counts the first time only: later the page may still be open from before.
  func open() {
    tasks.withLock { tasks in
      let isFirst = tasks.isEmpty
      tasks.append(
        Task { [show, failed] in
          do throws(ScreenPresentationError) {
            try await show()
          } catch {
            if isFirst { failed.yield(error) }
          }
        })
    }
  }

  func end() {
    failed.finish()
    for task in tasks.withLock({ $0 }) { task.cancel() }
  }
}
