import Foundation
import Synchronization

@testable import OnsideKit

/// A machine on which the store's app is installed, or not; the app itself does what the test says.
final class OpenerDouble: AppOpener {
  private struct State {
    var isInstalled: Bool
    var opens = true
    var opened: [URL] = []
  }
  private let state: Mutex<State>
  private let back: AsyncStream<Void>
  private let comesBack: AsyncStream<Void>.Continuation

  init(isInstalled: Bool = true, opens: Bool = true) {
    state = Mutex(State(isInstalled: isInstalled, opens: opens))
    (back, comesBack) = AsyncStream.makeStream()
  }

  /// The links that the store's app was given, in order.
  var opened: [URL] { state.withLock { $0.opened } }
  func install() { state.withLock { $0.isInstalled = true } }
  /// The user comes back to the app.
  func comeBack() { comesBack.yield() }

  func canOpen(_ address: URL) async -> Bool { state.withLock { $0.isInstalled } && address.scheme == "onside" }

  func open(_ address: URL) async -> Bool {
    state.withLock { state in
      if state.opens { state.opened.append(address) }
      return state.opens
    }
  }

  func returns() async -> AsyncStream<Void> { back }
}
