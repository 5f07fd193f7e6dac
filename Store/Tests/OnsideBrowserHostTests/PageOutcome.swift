import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideKit
import StoreTestSupport

/// The outcome of the next purchase in a test.
enum PageOutcome {
  case bought, declined, cancelled

  @MainActor
  func prepare(_ stage: Stage) {
    stage.store.settings.failTransactionsEnabled = self == .declined
    // A store that shows screens: ``ClosedScreens`` closes them.
    stage.store.settings.disableDialogs = self != .cancelled
  }
}

/// A user who closes every screen.
struct ClosedScreens: ScreenPresenter {
  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome { .dismissed }
}

extension Stage {
  /// Returns when the store has the finish of every purchase, but for one.
  func allFinished(except exception: UUID? = nil) async throws {
    try await NamedDeadline.wait(for: "finishes of all purchases") {
      store.transactions().allSatisfy { $0.state != .purchased || $0.isFinished || $0.id == exception }
    }
  }

  /// Refunds the last purchase once it is finished.
  func refundLast() async throws {
    try await NamedDeadline.wait(for: "a finish of the last purchase") {
      store.transactions().last { $0.state == .purchased }?.isFinished == true
    }
    guard let last = store.transactions().last(where: { $0.state == .purchased }), store.refund(last.id) else {
      throw CancellationError()
    }
  }
}
