import Foundation
import OnsideCommerce
import Testing

/// Every cell of the table in `OrderState`'s documentation.
@Suite(.timeLimit(.minutes(5))) struct OrderStateTests {
  enum Result: Sendable, Hashable {
    case becomes(OrderState)
    case pays(OrderState)
    case stays
    case fails(OrderTransitionError)
  }

  static let now = Date(timeIntervalSince1970: 1_766_743_200)
  static let earlier = Date(timeIntervalSince1970: 1_766_000_000)
  static let taken = Revocation(date: now, reason: .refund)
  static let takenEarlier = Revocation(date: earlier, reason: .support)

  static let events: [OrderEvent] = [
    .paymentStarted, .paymentPending, .paymentSucceeded, .paymentDeclined, .cancelled, .finished, .refunded(.refund),
  ]

  static let open = OrderState(stage: .open)
  static let processing = OrderState(stage: .processing)
  static let paid = OrderState(stage: .paid)
  static let paidFinished = OrderState(stage: .paid, finished: true)
  static let paidRevoked = OrderState(stage: .paid, revocation: takenEarlier)
  static let paidFinishedRevoked = OrderState(stage: .paid, finished: true, revocation: takenEarlier)
  static let cancelled = OrderState(stage: .cancelled)
  static let owing = OrderState(stage: .cancelled, owesRefund: true)
  static let refunded = OrderState(stage: .cancelled, revocation: takenEarlier)

  /// The rows: a state and what each of `events` does to it.
  static let table: [(state: OrderState, results: [Result])] = [
    (
      open,
      [
        .becomes(processing), .becomes(processing), .becomes(paid), .stays, .becomes(cancelled), .fails(.notFinal),
        .fails(.notPaid),
      ]
    ),
    (
      processing,
      [
        .stays, .stays, .becomes(paid), .becomes(open), .fails(.paymentInFlight), .fails(.notFinal), .fails(.notPaid),
      ]
    ),
    (
      paid,
      [
        .fails(.alreadyPaid), .stays, .stays, .stays, .fails(.alreadyPaid), .becomes(paidFinished),
        .becomes(OrderState(stage: .paid, revocation: taken)),
      ]
    ),
    (
      paidFinished,
      [
        .fails(.alreadyPaid), .stays, .stays, .stays, .fails(.alreadyPaid), .stays,
        .becomes(OrderState(stage: .paid, finished: true, revocation: taken)),
      ]
    ),
    (
      paidRevoked,
      [
        .fails(.alreadyPaid), .stays, .stays, .stays, .fails(.alreadyPaid), .becomes(paidFinishedRevoked), .stays,
      ]
    ),
    (
      paidFinishedRevoked,
      [
        .fails(.alreadyPaid), .stays, .stays, .stays, .fails(.alreadyPaid), .stays, .stays,
      ]
    ),
    (
      cancelled,
      [.fails(.alreadyCancelled), .stays, .pays(owing), .stays, .stays, .fails(.notFinal), .fails(.notPaid)]
    ),
    (
      owing,
      [
        .fails(.alreadyCancelled), .stays, .stays, .stays, .stays, .fails(.notFinal),
        .becomes(OrderState(stage: .cancelled, revocation: taken)),
      ]
    ),
    (
      refunded,
      [.fails(.alreadyCancelled), .stays, .stays, .stays, .stays, .fails(.notFinal), .stays]
    ),
  ]

  private func apply(_ event: OrderEvent, to state: OrderState) throws -> Result {
    var after = state
    do {
      let outcome = try after.handle(event, at: Self.now)
      switch outcome {
      case .changed:
        #expect(after != state)
        return .becomes(after)
      case .paidAfterCancel: return .pays(after)
      case .unchanged:
        #expect(after == state)
        return .stays
      }
    } catch {
      #expect(after == state, "an event that fails changes nothing")
      return .fails(error)
    }
  }

  @Test("QUE-5: every event in every state does what the table says", arguments: table.indices)
  func cell(row: Int) throws {
    let (state, results) = Self.table[row]
    #expect(results.count == Self.events.count)
    for (event, expected) in zip(Self.events, results) {
      let result = try apply(event, to: state)
      #expect(result == expected, "\(event) in \(state)")
    }
  }

  @Test("STO-1: every event that a state takes is the same twice as once", arguments: table.indices)
  func idempotent(row: Int) throws {
    for event in Self.events {
      var state = Self.table[row].state
      guard (try? state.handle(event, at: Self.now)) != nil else { continue }
      let once = state
      let outcome = try state.handle(event, at: Self.now)
      #expect(outcome == .unchanged, "\(event) again in \(once)")
      #expect(state == once)
    }
  }

  @Test("QUE-5: no four events leave a final stage, or pay twice")
  func walks() {
    for first in Self.events {
      for second in Self.events {
        for third in Self.events {
          for fourth in Self.events {
            var state = OrderState()
            var final: OrderState.Stage?
            var payments = 0
            for event in [first, second, third, fourth] {
              let outcome = try? state.handle(event, at: Self.now)
              if event == .paymentSucceeded, outcome == .changed || outcome == .paidAfterCancel { payments += 1 }
              if let final { #expect(state.stage == final) }
              if state.stage == .paid || state.stage == .cancelled { final = state.stage }
            }
            #expect(payments <= 1)
            #expect(!(state.owesRefund && state.revocation != nil))
            #expect(!state.owesRefund || state.stage == .cancelled)
          }
        }
      }
    }
  }

  @Test("QUE-8: money for a cancelled order is owed back once, until it is refunded")
  func paidAfterCancel() throws {
    var state = OrderState()
    let outcome = try state.handle(.cancelled, at: Self.earlier)
    #expect(outcome == .changed)
    let secondOutcome = try state.handle(.paymentSucceeded, at: Self.now)
    #expect(secondOutcome == .paidAfterCancel)
    #expect(state.owesRefund)
    #expect(!state.isEntitled)
    let thirdOutcome = try state.handle(.paymentSucceeded, at: Self.now)
    #expect(thirdOutcome == .unchanged)
    let fourthOutcome = try state.handle(.refunded(.refund), at: Self.now)
    #expect(fourthOutcome == .changed)
    #expect(!state.owesRefund)
    let fifthOutcome = try state.handle(.paymentSucceeded, at: Self.now)
    #expect(fifthOutcome == .unchanged)
  }

  @Test("QUE-19: a refund ends the entitlement, with its first date and reason")
  func refund() throws {
    var state = OrderState(stage: .paid)
    #expect(state.isEntitled)
    let outcome = try state.handle(.refunded(.chargeback), at: Self.earlier)
    #expect(outcome == .changed)
    let secondOutcome = try state.handle(.refunded(.support), at: Self.now)
    #expect(secondOutcome == .unchanged)
    #expect(!state.isEntitled)
    #expect(state.revocation == Revocation(date: Self.earlier, reason: .chargeback))
  }

  @Test("an order survives JSON")
  func json() throws {
    for (state, _) in Self.table {
      let decoded = try JSONDecoder().decode(OrderState.self, from: JSONEncoder().encode(state))
      #expect(decoded == state)
    }
  }
}
