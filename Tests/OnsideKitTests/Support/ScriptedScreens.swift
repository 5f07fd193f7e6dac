import Foundation
import Synchronization

@testable import OnsideKit

/// A user who acts by a script: it is given the screen and its page, and says how the screen ends.
final class ScriptedScreens: ScreenPresenter {
  private let act: @Sendable (OnsideScreen, URL) async throws -> ScreenOutcome
  private let pages = Mutex<[URL]>([])

  init(_ act: @escaping @Sendable (OnsideScreen, URL) async throws -> ScreenOutcome) { self.act = act }

  /// The pages shown, in order.
  var shown: [URL] { pages.withLock { $0 } }

  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    guard let redirect = URL(string: "lumen://onside") else { return .dismissed }
    let address = try await page(redirect)
    pages.withLock { $0.append(address) }
    return try await act(screen, address)
  }
}
