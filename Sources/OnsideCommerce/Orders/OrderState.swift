public import Foundation

/// Where an order stands, and the only way in which that changes.
///
/// What `handle` does with each event; the states are the rows. "–" is `.unchanged`, a word in italics an
/// `OrderTransitionError`.
///
/// | state | started | pending | succeeded | declined | cancelled | finished | refunded |
/// |---|---|---|---|---|---|---|---|
/// | open | processing | processing | paid | – | cancelled | *notFinal* | *notPaid* |
/// | processing | – | – | paid | open | *paymentInFlight* | *notFinal* | *notPaid* |
/// | paid | *alreadyPaid* | – | – | – | *alreadyPaid* | finished | revoked |
/// | paid, finished | *alreadyPaid* | – | – | – | *alreadyPaid* | – | revoked |
/// | paid, revoked | *alreadyPaid* | – | – | – | *alreadyPaid* | finished | – |
/// | cancelled | *alreadyCancelled* | – | `.paidAfterCancel`, owes a refund | – | – | *notFinal* | *notPaid* |
/// | cancelled, owes a refund | *alreadyCancelled* | – | – | – | – | *notFinal* | revoked, owes nothing |
/// | cancelled, refunded | *alreadyCancelled* | – | – | – | – | *notFinal* | – |
///
/// The machine does not tell two payments of one order apart: that a provider's event is about the payment that the
/// order knows is for the store to check before.
public struct OrderState: Sendable, Hashable, Codable {
  /// The four stages of an order.
  public enum Stage: String, Sendable, Hashable, Codable, CaseIterable {
    /// Waits for the buyer.
    case open
    /// Waits for the payment provider.
    case processing
    /// The money is there.
    case paid
    /// Will never be paid.
    case cancelled
  }

  /// The stage the order is in.
  public private(set) var stage: Stage = .open
  /// True once the app has confirmed that it gave the buyer what was bought; it is then never delivered again.
  public private(set) var finished = false
  /// When and why the purchase was taken back.
  public private(set) var revocation: Revocation?
  /// True while money that came after the cancellation has not gone back yet.
  public private(set) var owesRefund = false

  /// A new order, open.
  public init() {}

  /// An order as it was stored.
  public init(stage: Stage, finished: Bool = false, revocation: Revocation? = nil, owesRefund: Bool = false) {
    self.stage = stage
    self.finished = finished
    self.revocation = revocation
    self.owesRefund = owesRefund
  }

  /// A paid order without a charge: for a product that the account owns already, or a grant.
  public static let ownedAlready = OrderState(stage: .paid)

  /// True when the buyer has what was bought: paid and not taken back.
  public var isEntitled: Bool { stage == .paid && revocation == nil }

  /// Takes an event in; the same event twice changes nothing the second time.
  ///
  /// Throws an `OrderTransitionError`, and changes nothing, when the event cannot happen to an order in this state.
  public mutating func handle(_ event: OrderEvent, at now: Date) throws(OrderTransitionError) -> OrderOutcome {
    switch event {
    case .paymentStarted: try start()
    case .paymentPending: stage == .open ? move(to: .processing) : .unchanged
    case .paymentSucceeded: succeed()
    case .paymentDeclined: stage == .processing ? move(to: .open) : .unchanged
    case .cancelled: try cancel()
    case .finished: try finish()
    case .refunded(let reason): try refund(reason, at: now)
    }
  }

  private mutating func start() throws(OrderTransitionError) -> OrderOutcome {
    switch stage {
    case .open: return move(to: .processing)
    case .processing: return .unchanged
    case .paid: throw .alreadyPaid
    case .cancelled: throw .alreadyCancelled
    }
  }

  private mutating func succeed() -> OrderOutcome {
    switch stage {
    case .open, .processing: return move(to: .paid)
    case .paid: return .unchanged
    case .cancelled:
      guard !owesRefund, revocation == nil else { return .unchanged }
      owesRefund = true
      return .paidAfterCancel
    }
  }

  private mutating func cancel() throws(OrderTransitionError) -> OrderOutcome {
    switch stage {
    case .open: return move(to: .cancelled)
    case .processing: throw .paymentInFlight
    case .paid: throw .alreadyPaid
    case .cancelled: return .unchanged
    }
  }

  private mutating func finish() throws(OrderTransitionError) -> OrderOutcome {
    guard stage == .paid else { throw .notFinal }
    guard !finished else { return .unchanged }
    finished = true
    return .changed
  }

  private mutating func refund(
    _ reason: RevocationReason, at now: Date
  ) throws(OrderTransitionError) -> OrderOutcome {
    guard revocation == nil else { return .unchanged }
    guard stage == .paid || owesRefund else { throw .notPaid }
    revocation = Revocation(date: now, reason: reason)
    owesRefund = false
    return .changed
  }

  private mutating func move(to next: Stage) -> OrderOutcome {
    stage = next
    return .changed
  }
}

/// When and why a purchase was taken back.
public struct Revocation: Sendable, Hashable, Codable {
  /// When it happened.
  public var date: Date
  /// Why it happened.
  public var reason: RevocationReason

  /// A purchase taken back.
  public init(date: Date, reason: RevocationReason) {
    self.date = date
    self.reason = reason
  }
}
