public import Foundation
import Logging

/// Shows the SDK's screens, which are pages of the store: in a window, in the system's browser, in a terminal, or in a
/// test by a script.
public protocol ScreenPresenter: Sendable {
  /// Shows a page until it redirects to the address that was given to it, or until the user closes it.
  ///
  /// Cancelling the task closes the screen and answers ``ScreenOutcome/dismissed``.
  /// - Parameters:
  ///   - screen: which screen it is.
  ///   - page: gives the page's address for the redirect address that the presenter listens on. The presenter calls it
  ///     once. What it throws is thrown on as it is.
  /// - Throws: ``ScreenPresentationError`` when there is nowhere to show a page.
  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome

  /// The same, for a screen that can be brought back: the user may have closed a browser tab, or lost it among others.
  /// Optional; without it a second wish for an open screen changes nothing.
  ///
  /// - Parameters:
  ///   - screen: which screen it is.
  ///   - reminders: yields each time the user asks for the screen again while it is open. The presenter then brings the
  ///     page before the user once more.
  ///   - page: as above.
  func present(
    _ screen: OnsideScreen, reminders: AsyncStream<Void>,
    page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome

  /// Whether ``ScreenOutcome/dismissed`` means that the page is gone, as a window or a sheet of the app knows it; true
  /// unless implemented. A presenter that opens pages in a browser elsewhere says false: its time runs out while the
  /// page may still be open there, so that a payment is not given up for it.
  var seesPagesClose: Bool { get }
}

extension ScreenPresenter {
  /// Shows the page, and does not bring it back.
  public func present(
    _ screen: OnsideScreen, reminders: AsyncStream<Void>,
    page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await present(screen, page: page)
  }

  /// Yes.
  public var seesPagesClose: Bool { true }
}

/// How a screen ended.
public enum ScreenOutcome: Hashable, Sendable {
  /// The page sent the browser to the redirect address; this is the whole address, query included.
  case redirected(URL)
  /// The user closed the screen, or the time for it ran out.
  case dismissed
}

/// A screen that could not be shown.
public struct ScreenPresentationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried, what happened and what to do.
  public let description: String

  /// Makes an error.
  public init(_ description: String) { self.description = description }
}

/// Shows a screen, with every way to fail as a store error.
func showing<Value: Sendable>(
  _ screen: OnsideScreen, logger: Logger, _ show: () async throws -> Value
) async throws(StoreError) -> Value {
  do {
    return try await show()
  } catch let error as StoreError {
    throw error
  } catch is CancellationError {
    throw .cancelled
  } catch {
    logger.error("expected to show the \(screen.rawValue) screen: \(error)")
    throw .presentationFailed
  }
}
