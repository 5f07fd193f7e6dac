import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The events of an order: pure.
enum OrderEventTypes {
  /// Returns the events of a transaction, in the order in which a receiver acts on them.
  ///
  /// - Parameters:
  ///   - before: in the newest event; nil for an order without events.
  ///   - now: the time of the transaction. The changes of an order without events are those at this time, because it
  ///     may have been paid before the store wrote events.
  static func notes(from before: OrderStanding?, to after: OrderObject, at now: Date) -> [EventNote] {
    let isPaidNow = before == nil && after.purchase.purchaseDate == now.wholeMilliseconds
    let paid = isPaidNow ? [payment(of: after)] : []
    let known = before ?? after.standing.before(now)
    return paid + refunds(from: known, to: after.standing) + disputes(from: known, to: after.standing)
      + revocation(from: known, to: after)
  }

  /// A grant that replaces a revoked purchase reinstates it.
  private static func payment(of order: OrderObject) -> EventNote {
    EventNote(type: order.purchase.reinstates == nil ? .orderPaid : .orderReinstated, cause: order.grantCause)
  }

  private static func refunds(from before: OrderStanding, to after: OrderStanding) -> [EventNote] {
    let earlier = Dictionary(before.refunds.map { ($0.id, $0) }) { $1 }
    var notes: [EventNote] = []
    // The money of a won dispute is back: `dispute.closed` is its event, and the newest event may not have the return.
    let returned = after.refunds.filter { $0.hasFailed && $0.isOfBank }.map(\.id)
    if after.refunded > before.refunded(without: returned) {
      let newest = after.refunds.last { !$0.hasFailed && earlier[$0.id]?.hasFailed != false }
      notes.append(EventNote(type: .orderRefunded, cause: newest?.origin))
    }
    for refund in after.refunds where refund.hasFailed && !refund.isOfBank && earlier[refund.id]?.hasFailed != true {
      notes.append(EventNote(type: .orderRefundFailed, cause: refund.origin))
    }
    return notes
  }

  private static func disputes(from before: OrderStanding, to after: OrderStanding) -> [EventNote] {
    let earlier = Dictionary(before.disputes.map { ($0.id, $0) }) { $1 }
    return after.disputes.flatMap { dispute -> [EventNote] in
      let known = earlier[dispute.id]
      let isOpenedNow = dispute.isOpened && known?.isOpened != true
      let isClosedNow = dispute.isClosed && known?.isClosed != true
      return (isOpenedNow ? [EventNote(type: .disputeOpened, cause: dispute.reason)] : [])
        + (isClosedNow ? [EventNote(type: .disputeClosed, cause: dispute.state)] : [])
    }
  }

  private static func revocation(from before: OrderStanding, to after: OrderObject) -> [EventNote] {
    guard before.revokedAt == nil, after.standing.revokedAt != nil else { return [] }
    return [EventNote(type: .orderRevoked, cause: after.purchase.revocation?.reason.rawValue)]
  }
}

extension Date {
  /// The time in whole milliseconds, as the database has it.
  var wholeMilliseconds: Date { Date(millisecondsSince1970: millisecondsSince1970) }
}
