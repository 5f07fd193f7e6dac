import Foundation
import Synchronization

/// A login in the store's own app: the page goes there as a link, and nothing is shown here.
final class StoreAppScreen: ScreenPresenter {
  private let apps: any AppOpener
  private let callbackScheme: String
  private let issuer: URL
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Double) async throws -> Void
  private let events: AsyncStream<AppToAppLoginMachine.Event>
  private let happens: AsyncStream<AppToAppLoginMachine.Event>.Continuation

  init(apps: any AppOpener, callbackScheme: String, issuer: URL, dependencies: Dependencies) {
    self.apps = apps
    self.callbackScheme = callbackScheme
    self.issuer = issuer
    now = dependencies.now
    sleep = dependencies.sleep
    (events, happens) = AsyncStream.makeStream()
  }

  /// Brings the store's app before the user once more: the login was asked for again.
  func askAgain() { happens.yield(.asked(at: now())) }

  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    guard let redirect = URL(string: "\(callbackScheme)://onside") else {
      throw ScreenPresentationError("expected a callback scheme such as lumen-auth, got \"\(callbackScheme)\"")
    }
    let address = try await page(redirect)
    guard let link = AuthorizationLink(request: address, issuer: issuer)?.address else {
      throw ScreenPresentationError("expected an authorization request, got another kind of page")
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { [apps, happens] in
        for await _ in await apps.returns() { happens.yield(.returned) }
      }
      group.addTask { [self] in
        try await sleep(LoopbackScreen.deadline)
        happens.yield(.timeUp)
      }
      askAgain()
      var machine = AppToAppLoginMachine()
      for await event in events {
        for effect in machine.handle(event) {
          if let outcome = try run(effect, link: link, in: &group) { return outcome }
        }
      }
      return .dismissed
    }
  }

  private func run(
    _ effect: AppToAppLoginMachine.Effect, link: URL, in group: inout ThrowingTaskGroup<Void, any Error>
  ) throws -> ScreenOutcome? {
    switch effect {
    case .open:
      // Not in the group: some systems keep the opener running as long as the app runs.
      Task { [apps, happens] in happens.yield(.opened(await apps.open(link))) }
    case .wait(let number):
      group.addTask { [self] in
        try await sleep(AppToAppLoginMachine.grace)
        happens.yield(.waited(number))
      }
    case .dismiss: return .dismissed
    case .fail:
      throw ScreenPresentationError("expected the system to open \(AuthorizationLink.scheme)://, but it could not")
    }
    return nil
  }
}
