import Foundation

/// Shows a screen that is open once more (ACC-18, QUE-24). A second request for the same thing opens no second screen,
/// but the first one may be a browser tab that the user has closed.
@MainActor
final class ScreenReminder {
  /// The shortest time between two openings, in seconds: a double press is one request.
  static let pause = AppToAppLoginMachine.pause

  private var lastOpening: Date
  private var reminders: AsyncStream<Void>.Continuation?

  init(openedAt now: Date) { lastOpening = now }

  /// A presenter whose next screen hears the reminders.
  func screens(_ base: any ScreenPresenter) -> any ScreenPresenter {
    let (stream, reminders) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.reminders = reminders
    return RemindedScreens(base: base, reminders: stream)
  }

  /// Asks for the screen once more, unless it was opened a moment ago.
  func remind(at now: Date) {
    guard now.timeIntervalSince(lastOpening) >= Self.pause else { return }
    lastOpening = now
    reminders?.yield()
  }
}

/// A presenter that passes reminders on to another one.
private struct RemindedScreens: ScreenPresenter {
  let base: any ScreenPresenter
  let reminders: AsyncStream<Void>

  var seesPagesClose: Bool { base.seesPagesClose }

  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await base.present(screen, reminders: reminders, page: page)
  }
}
