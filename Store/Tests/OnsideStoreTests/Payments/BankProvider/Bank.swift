import Foundation
import StoreBaseTestSupport
import Synchronization

@testable import OnsideStore
@testable import StorePayments

/// A bank that moves money by transfer: the system behind the third provider of the tests. It keeps what it was asked
/// for by idempotency key, tells nothing but ids, and can be made to fail.
final class Bank: Sendable {
  struct Charge: Sendable {
    enum State: Sendable { case waiting, paid, refused, cancelled }

    let id: String
    let order: String
    let account: String
    let amount: Int64
    let currency: String
    var state: State
    var refunded: Int64 = 0
    /// The mandate to charge again, where the buyer has given one.
    var mandate: String?
    /// The subscription's period that it pays.
    var period: ChargedPeriod?
  }

  /// Something that happened.
  struct Note: Sendable {
    let id: String
    let subject: String
    let date: Date
  }

  private struct State {
    var charges: [String: Charge] = [:]
    var ids: [String: String] = [:]
    var mandates: [String: String] = [:]
    var notes: [Note] = []
    var removed: [String] = []
    var refunds: [String: Int64] = [:]
    var failures = 0
    var calls = 0
  }

  /// The bank does not answer.
  struct Down: Error {}

  private let state = Mutex(State())
  let clock: ManualClock

  init(clock: ManualClock) { self.clock = clock }

  /// Makes the next calls fail.
  func fail(_ times: Int) { state.withLock { $0.failures = times } }

  var removed: [String] { state.withLock { $0.removed } }
  var refunds: [Int64] { state.withLock { Array($0.refunds.values) } }
  var calls: Int { state.withLock { $0.calls } }
  var allCharges: [Charge] { state.withLock { Array($0.charges.values) } }
  var notes: [Note] { state.withLock { $0.notes } }

  /// Asks for a transfer; the same key asks for the same one.
  func charge(key: String, _ make: (String) -> Charge) throws -> Charge {
    try call { state in
      if let known = state.ids[key].flatMap({ state.charges[$0] }) { return known }
      let charge = make("tr-\(state.charges.count + 1)")
      (state.ids[key], state.charges[charge.id]) = (charge.id, charge)
      return charge
    }
  }

  /// The transfers of an account.
  func charges(of account: String) throws -> [Charge] {
    try call { $0.charges.values.filter { $0.account == account } }
  }

  func charge(_ id: String) throws -> Charge? { try call { $0.charges[id] } }

  /// Makes the charges of periods those of another product, as if another plan had been charged.
  func relabel(as product: String) {
    state.withLock { state in
      for (id, charge) in state.charges {
        state.charges[id]?.period = charge.period.map {
          ChargedPeriod(subscription: $0.subscription, product: product, number: $0.number, since: $0.since)
        }
      }
    }
  }

  /// Ends a transfer that waits for the buyer; leaves any other as it is.
  func cancel(_ id: String) throws {
    try call { state in
      guard case .waiting? = state.charges[id]?.state else { return }
      state.charges[id]?.state = .cancelled
      note("charge:\(id)", in: &state)
    }
  }

  /// What the buyer does at the bank. A transfer that was cancelled stays so.
  func decide(_ id: String, approves: Bool) {
    state.withLock { state in
      if case .cancelled? = state.charges[id]?.state { return }
      state.charges[id]?.state = approves ? .paid : .refused
      note("charge:\(id)", in: &state)
    }
  }

  func refund(_ id: String, amount: Int64, key: String) throws {
    try call { state in
      guard state.refunds[key] == nil else { return }
      state.refunds[key] = amount
      state.charges[id]?.refunded += amount
      note("charge:\(id)", in: &state)
    }
  }

  func giveMandate(_ id: String, to account: String) { state.withLock { $0.mandates[id] = account } }
  func mandate(_ id: String) -> String? { state.withLock { $0.mandates[id] } }

  func remove(_ mandate: String) throws {
    try call { state in
      state.removed.append(mandate)
      state.mandates[mandate] = nil
    }
  }

  /// The account's owner ends a mandate at the bank.
  func end(_ mandate: String) {
    state.withLock { state in
      state.mandates[mandate] = nil
      note("mandate:\(mandate)", in: &state)
    }
  }

  /// The mandate's account gets another number.
  func renumber(_ mandate: String) { state.withLock { note("mandate:\(mandate)", in: &$0) } }

  private func note(_ subject: String, in state: inout State) {
    state.notes.append(Note(id: "note-\(state.notes.count + 1)", subject: subject, date: clock.now()))
  }

  private func call<Value>(_ body: (inout State) -> Value) throws -> Value {
    try state.withLock { state in
      state.calls += 1
      guard state.failures == 0 else {
        state.failures -= 1
        throw Down()
      }
      return body(&state)
    }
  }
}
