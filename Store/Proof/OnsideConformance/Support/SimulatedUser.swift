import Foundation
import OnsideKit
import ScriptedBrowser
import Testing

/// A simulated user with a phone and a browser. On each screen, the user does what the test has planned; without a
/// plan, logs in and pays.
final class SimulatedUser: ScreenPresenter {
  typealias Act = @Sendable (Visit) async throws -> ScreenOutcome

  let phone: String
  let messages: Phones
  /// The local store on the device; nil in columns without one.
  let local: LocalStore?
  /// The screens that were shown, oldest first.
  let visits = Observed<[Visit]>([])
  /// The number of open screens.
  let open = Observed(0)
  private let plans = Observed<[OnsideScreen: [Act]]>([:])

  init(phone: String, messages: Phones, local: LocalStore?) {
    self.phone = phone
    self.local = local
    self.messages = messages
  }

  /// Plans the action for the next screen of a kind.
  func next(_ screen: OnsideScreen, _ act: @escaping Act) {
    plans.change { $0[screen, default: []].append(act) }
  }

  /// The number of screens of a kind that were shown.
  func count(_ screen: OnsideScreen) -> Int { visits.value.count { $0.screen == screen } }

  /// Waits until this number of screens of a kind were shown, and returns the last of them.
  func shown(_ screen: OnsideScreen, times count: Int = 1) async throws -> Visit {
    try await visits.until { $0.count { $0.screen == screen } >= count }
    return visits.value.filter { $0.screen == screen }[count - 1]
  }

  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    guard let redirect = URL(string: TestedSystem.redirect) else { throw ScreenPresentationError("no redirect") }
    let visit = Visit(screen: screen, address: try await page(redirect), redirect: redirect, user: self)
    visits.change { $0.append(visit) }
    open.change { $0 += 1 }
    defer { open.change { $0 -= 1 } }
    let act = plans.change { plans -> Act? in
      guard plans[screen]?.isEmpty == false else { return nil }
      return plans[screen]?.removeFirst()
    }
    do {
      guard let act else { return try await visit.doAsUsual() }
      return try await act(visit)
    } catch  where Task.isCancelled {
      return .dismissed
    } catch {
      if !(error is ScreenPresentationError) {
        Issue.record(error, "the user could not go on with \(screen.rawValue)")
      }
      throw error
    }
  }
}
