package import Foundation

/// The host's presenter with what every screen of the SDK shares: theme and languages in the page's address, and a
/// redirect that may also arrive through `Onside.handle(url:)`.
package struct ClientScreens: ScreenPresenter {
  private let base: any ScreenPresenter
  private let inbox: CallbackInbox
  private let languages: @Sendable () -> [String]
  private let theme: (@MainActor @Sendable (OnsideScreen) -> OnsideUIThemeMode)?

  package init(
    base: any ScreenPresenter, inbox: CallbackInbox, languages: @escaping @Sendable () -> [String],
    theme: (@MainActor @Sendable (OnsideScreen) -> OnsideUIThemeMode)?
  ) {
    self.base = base
    self.inbox = inbox
    self.languages = languages
    self.theme = theme
  }

  package func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await present(screen, reminders: AsyncStream { $0.finish() }, page: page)
  }

  package var seesPagesClose: Bool { base.seesPagesClose }

  package func present(
    _ screen: OnsideScreen, reminders: AsyncStream<Void>,
    page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    let place = inbox.open()
    defer { inbox.close(place) }
    return try await withThrowingTaskGroup(of: ScreenOutcome?.self) { group in
      group.addTask {
        try await base.present(screen, reminders: reminders) { redirect in
          let address = try await page(redirect).adding(appearance(of: screen))
          inbox.expect(ExpectedRedirect(to: redirect, from: address), at: place)
          return address
        }
      }
      group.addTask {
        for await url in place.callbacks { return .redirected(url) }
        return nil
      }
      defer { group.cancelAll() }
      while let outcome = try await group.next() {
        if let outcome { return outcome }
      }
      return .dismissed
    }
  }

  /// `theme`, and `ui_locales` as in OpenID Connect Core 1.0, section 3.1.2.1.
  private func appearance(of screen: OnsideScreen) async -> [(name: String, value: String)] {
    let languages = languages().prefix(5).joined(separator: " ")
    var theme: [(name: String, value: String)] = []
    if let mode = await self.theme?(screen) { theme = [(name: "theme", value: mode.rawValue)] }
    return theme + (languages.isEmpty ? [] : [(name: "ui_locales", value: languages)])
  }
}
