import Synchronization

@testable import OnsideStore
@testable import StoreAccounts

/// A mail server, or a gateway of texts, that takes every message or fails each in the same way. It does not recognise
/// repeats.
final class FailingSender: MessageSender {
  let takesText: Bool
  private let state: Mutex<(failure: MessageFailure?, tries: Int, taken: [OutgoingMessage])>

  init(_ failure: MessageFailure? = nil, takesText: Bool = true) {
    self.takesText = takesText
    state = Mutex((failure, 0, []))
  }

  var recognisesRepeats: Bool { false }

  /// How it fails; nil when it takes messages.
  var failure: MessageFailure? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// How often it was asked.
  var tries: Int { state.withLock { $0.tries } }

  /// The messages about subscriptions that it took.
  var notices: [OutgoingMessage] { state.withLock { $0.taken.filter { $0.id.hasPrefix("subscription-") } } }

  func send(_ message: OutgoingMessage) async throws {
    try state.withLock { state in
      state.tries += 1
      if let failure = state.failure { throw failure }
      state.taken.append(message)
    }
  }
}
