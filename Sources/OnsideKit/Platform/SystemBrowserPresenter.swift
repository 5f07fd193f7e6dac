public import Foundation

/// Shows the SDK's pages in the system's browser, and listens on 127.0.0.1 for the redirect (RFC 8252).
///
/// A screen without a redirect within ten minutes counts as dismissed.
public struct SystemBrowserPresenter: ScreenPresenter {
  private let screen: LoopbackScreen

  /// A presenter that opens pages with the system's default browser (`xdg-open`, or `open` on Apple systems).
  public init() {
    self.init(sleep: Dependencies.liveSleep, open: { await SystemBrowser.open($0) })
  }

  /// A presenter that opens pages with `open`, which answers whether it could.
  public init(
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void, open: @escaping @Sendable (URL) async -> Bool
  ) {
    screen = LoopbackScreen(sleep: sleep) { _, address throws(ScreenPresentationError) in
      guard await open(address) else {
        throw ScreenPresentationError(
          """
          expected the system to open a page in a browser, but it could not; install xdg-utils and a browser, or give \
          the SDK another presenter, such as TerminalPresenter
          """)
      }
    }
  }

  /// Opens a page with the system's default browser; false when there is none, or nothing to show it on. For presenters
  /// that know what to do then.
  public static func open(_ page: URL) async -> Bool { await SystemBrowser.open(page) }

  /// Opens the page in the browser and waits for the redirect.
  public func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await present(screen, reminders: AsyncStream { $0.finish() }, page: page)
  }

  /// The same; a reminder opens the page again.
  public func present(
    _ screen: OnsideScreen, reminders: AsyncStream<Void>,
    page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await self.screen.present(screen, reminders: reminders, page: page)
  }

  /// False: the browser does not report a closed tab.
  public var seesPagesClose: Bool { false }
}
