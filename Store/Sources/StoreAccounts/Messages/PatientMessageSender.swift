import Foundation
import StoreBase
import Synchronization

/// A sender whose rejection of a message is final only after it has accepted another message since, or after three
/// days. A mail server that rejects everything for a while, and a gateway without credit, so delay messages.
///
/// What was rejected is kept in memory: after a start of the process the days count anew.
package final class PatientMessageSender: MessageSender {
  /// How long a message is tried while the sender accepts none, in seconds.
  private static let patience: TimeInterval = 3 * 86_400
  /// How many rejected messages are kept. More of them are tried for longer.
  private static let capacity = 10_000

  private struct State {
    var acceptedAt: Date?
    /// The first rejections, by the messages' ids.
    var rejectedAt: [String: Date] = [:]
  }

  private let base: any MessageSender
  private let clock: any StoreClock
  private let state = Mutex(State())

  init(_ base: any MessageSender, clock: any StoreClock) {
    self.base = base
    self.clock = clock
  }

  package var recognisesRepeats: Bool { base.recognisesRepeats }
  package var takesText: Bool { base.takesText }

  package func send(_ message: OutgoingMessage) async throws {
    do {
      try await base.send(message)
      let now = clock.now()
      state.withLock { state in
        state.acceptedAt = now
        state.rejectedAt[message.id] = nil
      }
    } catch MessageFailure.refused(let reason) where !isFinal(message.id) {
      throw MessageFailure.notAccepted(reason)
    }
  }

  package func check() async throws { try await base.check() }

  /// Records a rejection; true when it is final.
  private func isFinal(_ id: String) -> Bool {
    let now = clock.now()
    return state.withLock { state in
      guard let first = state.rejectedAt[id] else {
        if state.rejectedAt.count >= Self.capacity { state.rejectedAt = [:] }
        state.rejectedAt[id] = now
        return false
      }
      guard now >= first + Self.patience || (state.acceptedAt.map { $0 > first } ?? false) else { return false }
      state.rejectedAt[id] = nil
      return true
    }
  }
}
