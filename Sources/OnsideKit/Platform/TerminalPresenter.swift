public import Foundation

/// Prints the address of a page, to be opened in any browser of this machine, and listens on 127.0.0.1 for the
/// redirect.
///
/// A screen without a redirect within ten minutes counts as dismissed.
public struct TerminalPresenter: ScreenPresenter {
  private let screen: LoopbackScreen

  /// A presenter that prints to standard output.
  public init() {
    self.init(sleep: Dependencies.liveSleep, print: { Swift.print($0) })
  }

  /// A presenter that prints with `print`.
  public init(
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void,
    print: @escaping @Sendable (String) -> Void
  ) {
    screen = LoopbackScreen(sleep: sleep) { screen, address throws(ScreenPresentationError) in
      print("To go on (\(screen.rawValue)), open this page in a browser on this machine:\n\(address.absoluteString)")
    }
  }

  /// Prints the page's address and waits for the redirect.
  public func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await present(screen, reminders: AsyncStream { $0.finish() }, page: page)
  }

  /// The same; a reminder prints the address again.
  public func present(
    _ screen: OnsideScreen, reminders: AsyncStream<Void>,
    page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await self.screen.present(screen, reminders: reminders, page: page)
  }

  /// False: the closing of the page is not reported.
  public var seesPagesClose: Bool { false }
}
