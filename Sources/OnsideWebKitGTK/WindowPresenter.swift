import CWebKitGTK
public import Foundation
public import OnsideKit

/// Shows the SDK's screens (login, payment, payment methods, region) in windows of the app: a web view beneath the
/// page's title and its origin. Closing the window counts as the user's no.
///
/// ```swift
/// try Onside.initialize(configuration: OnsideConfiguration(), screens: WindowPresenter())
/// ```
/// Works in an app that runs GTK itself (see ``GTKActor/adoptMainLoop()``) and in one that does not. Cookies of the
/// pages are kept for as long as the process runs.
public struct WindowPresenter: ScreenPresenter {
  /// A presenter; it opens nothing yet.
  public init() {}

  /// Opens a window and waits for the redirect, or for the window to be closed.
  public func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await present(screen, reminders: AsyncStream { $0.finish() }, page: page)
  }

  /// The same; a reminder brings the window to the front.
  public func present(
    _ screen: OnsideScreen, reminders: AsyncStream<Void>,
    page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    do { try await GTKActor.start() } catch { throw ScreenPresentationError(error.description) }
    // The window catches the redirect; listening only keeps other programs off its address.
    let listener = try LoopbackListener(sleep: Dependencies.liveSleep)
    let address = try await page(listener.redirect)
    let expected = ExpectedRedirect(to: listener.redirect, from: address)
    let outcome = await ScreenWindow.outcome(of: address, reminders: reminders, endsAt: expected.accepts)
    withExtendedLifetime(listener) {}
    return outcome
  }
}
