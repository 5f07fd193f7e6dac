import Foundation
import OnsideCommerce

/// The part of an order's object that makes events: its refunds, disputes and revocation. It is read from the JSON of
/// the newest event.
struct OrderStanding: Hashable, Sendable, Decodable {
  /// A refund of the price.
  struct RefundPart: Hashable, Sendable, Decodable {
    var id: String
    var amount: Int64
    var state: String
    var reason: String
    var origin: String
    var requestedAt: Date
    var endedAt: Date?

    enum CodingKeys: String, CodingKey {
      case id, amount, state, reason, origin
      case requestedAt = "requested_at"
      case endedAt = "ended_at"
    }

    var hasFailed: Bool { state == Refund.State.failed.rawValue }
    /// True for the money of a dispute.
    var isOfBank: Bool { origin == Refund.Origin.bank.rawValue }
  }

  /// A dispute about the payment.
  struct DisputePart: Hashable, Sendable, Decodable {
    var id: String
    var amount: Int64
    var reason: String
    var state: String
    var openedAt: Date
    var answerBy: Date?
    var closedAt: Date?

    enum CodingKeys: String, CodingKey {
      case id, amount, reason, state
      case openedAt = "opened_at"
      case answerBy = "answer_by"
      case closedAt = "closed_at"
    }

    /// True for a dispute that the bank has decided.
    var isClosed: Bool { [Dispute.State.won.rawValue, Dispute.State.lost.rawValue].contains(state) }
    /// True for a dispute, false for a bank's warning of one.
    var isOpened: Bool { isClosed || state == Dispute.State.open.rawValue }
  }

  var refunds: [RefundPart]
  var disputes: [DisputePart]
  var revokedAt: Date?

  enum CodingKeys: String, CodingKey {
    case refunds, disputes
    case revokedAt = "revocation_date"
  }

  /// The refunded amount of the price, in the currency's smallest unit.
  var refunded: Int64 { refunded(without: []) }

  /// The refunded amount without that of some refunds.
  func refunded(without ids: [String]) -> Int64 {
    refunds.filter { !$0.hasFailed && !ids.contains($0.id) }.reduce(0) { $0 + $1.amount }
  }

  /// The standing without the changes at a time or later: the comparison for an order without events.
  func before(_ time: Date) -> OrderStanding {
    let now = time.wholeMilliseconds
    var standing = self
    standing.refunds = refunds.filter { $0.requestedAt < now }.map { refund in
      guard let end = refund.endedAt, end >= now else { return refund }
      var refund = refund
      (refund.state, refund.endedAt) = (Refund.State.asked.rawValue, nil)
      return refund
    }
    standing.disputes = disputes.filter { $0.openedAt < now }.map { dispute in
      guard let end = dispute.closedAt, end >= now else { return dispute }
      var dispute = dispute
      (dispute.state, dispute.closedAt) = (Dispute.State.open.rawValue, nil)
      return dispute
    }
    if let date = revokedAt, date >= now { standing.revokedAt = nil }
    return standing
  }
}

extension OrderStanding.RefundPart {
  init(_ refund: Refund) {
    self.init(
      id: refund.id, amount: refund.amount.minorUnits, state: refund.state.rawValue, reason: refund.reason.rawValue,
      origin: refund.origin.rawValue, requestedAt: refund.askedAt, endedAt: refund.endedAt)
  }
}

extension OrderStanding.DisputePart {
  init(_ dispute: Dispute) {
    self.init(
      id: dispute.id, amount: dispute.amount.minorUnits, reason: dispute.reason, state: dispute.state.rawValue,
      openedAt: dispute.openedAt, answerBy: dispute.answerBy, closedAt: dispute.closedAt)
  }
}
