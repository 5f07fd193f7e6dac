import Foundation
import OnsideAPI
import Synchronization

/// Shows pages of the local store through the app's presenter. They are served on 127.0.0.1 while the screen is open,
/// under a random path that cannot be guessed.
struct LocalScreen: Sendable {
  /// The result of a submitted form.
  enum Step<Outcome: Sendable>: Sendable {
    case page(LocalPage)
    case done(Outcome)
    case cancelled
  }

  /// How long a browser may take to follow its last redirect, in seconds.
  static let patience = 5.0
  /// How long a page may be gone before the screen counts as closed, in seconds: the next page of the screen, or the
  /// same one loaded again, is there sooner.
  static let absence = 3.0

  let sleep: @Sendable (Double) async throws -> Void
  let randomBytes: @Sendable (Int) -> [UInt8]

  private struct Visit<Outcome: Sendable>: Sendable {
    var page: LocalPage
    var redirect: URL?
    var outcome: Outcome?
    /// The pages that are open in browsers, by their streams.
    var streams = 0
    var requests = 0
  }

  /// Shows a page, and others as `answer` says to each form, until the screen is left; nil when it was left without an
  /// outcome, also by closing the page. `settle` gets the outcome once the browser has its answer.
  func show<Outcome: Sendable>(
    _ screen: OnsideScreen, on screens: any ScreenPresenter, first: LocalPage,
    answer: @escaping @Sendable ([String: String]) async -> Step<Outcome>,
    settle: @escaping @Sendable (Outcome) async -> Void = { _ in }
  ) async throws -> Outcome? {
    let server = try LoopbackServer(sleep: sleep)
    let path = "/" + Base64URL.encode(randomBytes(16))
    let state = [(name: "state", value: Base64URL.encode(randomBytes(16)))]
    let visit = LocalVisit(Visit<Outcome>(page: first))
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        let end: End? = await server.run {
          await respond(to: $0, at: path, of: visit, answer: answer)
        } streamEnded: {
          await isGone(visit) ? .left : nil
        }
        if let outcome = visit.state.withLock({ $0.outcome }) { await settle(outcome) }
        if end == .answered { try? await sleep(Self.patience) }
        return end != nil
      }
      group.addTask {
        _ = try await screens.present(screen) { redirect in
          visit.state.withLock { $0.redirect = redirect.adding(state) }
          return server.address(path).adding(state)
        }
        return true
      }
      defer { group.cancelAll() }
      while try await group.next() == false {}
      return visit.state.withLock { $0.outcome }
    }
  }

  /// The end of a screen: a form was answered with a redirect, or the page was closed.
  private enum End: Sendable {
    case answered, left
  }

  /// Whether the screen was left: after a page was closed, no other is open and no request has arrived.
  private func isGone<Outcome: Sendable>(_ visit: LocalVisit<Visit<Outcome>>) async -> Bool {
    let requests = visit.state.withLock {
      $0.streams -= 1
      return $0.requests
    }
    guard (try? await sleep(Self.absence)) != nil else { return false }
    return visit.state.withLock { $0.streams == 0 && $0.requests == requests }
  }

  private func respond<Outcome: Sendable>(
    to request: LoopbackRequest?, at path: String, of visit: LocalVisit<Visit<Outcome>>,
    answer: @Sendable ([String: String]) async -> Step<Outcome>
  ) async -> (response: LoopbackResponse, outcome: End?) {
    guard let request else { return (.malformed, nil) }
    guard request.url.path == path, let redirect = visit.state.withLock({ $0.redirect }) else { return (.unknown, nil) }
    let isStream = request.method == .get && request.url.query() == LocalPage.presence
    visit.state.withLock {
      $0.requests += 1
      if isStream { $0.streams += 1 }
    }
    if isStream { return (.presence, nil) }
    guard request.method == .post else {
      let theme = request.url.queryValues(named: "theme").first
      return (visit.state.withLock { $0.page }.response(theme: theme, redirect: redirect), nil)
    }
    switch await answer(request.form) {
    case .page(let next):
      visit.state.withLock { $0.page = next }
      return (.redirect(to: request.url), nil)
    case .done(let outcome):
      visit.state.withLock { $0.outcome = outcome }
      return (.redirect(to: redirect), .answered)
    case .cancelled:
      return (.redirect(to: redirect), .answered)
    }
  }
}

/// State that the requests of a screen's pages share.
private final class LocalVisit<State: Sendable>: Sendable {
  let state: Mutex<State>
  init(_ state: State) { self.state = Mutex(state) }
}
