import Foundation
import OnsideCommerce
import StoreBase

/// Money that goes back to buyers, by refund or dispute. A part of the tax and of the store's share goes back with it.
extension Ledger {
  /// What is taken from a sale: the kinds of the rows.
  private static let shares = ["tax", "commission"]

  /// The kinds of the rows of money that goes back, and of money that came back after all.
  private static func kinds(_ refund: Refund) -> (back: String, undone: String) {
    refund.origin == .bank ? ("dispute", "dispute_reinstated") : ("refund", "refund_failed")
  }

  /// Books a refund, or what a bank takes for a dispute.
  ///
  /// - Parameter total: what goes back of the price with this refund and those before it, in the smallest unit.
  func refund(_ refund: Refund, of order: Order, total: Int64, in transaction: StoreTransaction) throws {
    let entries = try Self.entries(of: order.id, in: transaction)
    let source = refund.isSurplus ? "surplus:\(refund.paymentID ?? "")" : "sale"
    guard let sale = entries.first(where: { $0.kind == source }) else { return }
    let kind = Self.kinds(refund).back
    try post(
      order, kind: "\(kind):\(refund.id)", from: sale.debit, to: sale.credit, amount: refund.amount, in: transaction)
    guard !refund.isSurplus else { return }
    for share in entries where Self.shares.contains(share.kind) {
      // A bank may take what a refund has given back already: then more than the price has gone.
      let part = min(total, sale.amount.minorUnits)
      let due = Self.part(part, of: sale.amount.minorUnits, from: share.amount.minorUnits)
      let back = Money(
        minorUnits: max(0, due - Self.returned(share.kind, in: entries)), currency: share.amount.currency)
      try post(
        order, kind: "\(share.kind)_\(kind):\(refund.id)", from: share.debit, to: share.credit, amount: back,
        in: transaction)
    }
  }

  /// Books back a refund that failed, or a dispute that was won. Tax and share come back as far as the refunds that are
  /// left do not give them to the buyer.
  ///
  /// - Parameter total: what goes back of the price without this refund, in the smallest unit.
  func refundFailed(_ refund: Refund, of order: Order, total: Int64, in transaction: StoreTransaction) throws {
    let (back, undone) = Self.kinds(refund)
    let entries = try Self.entries(of: order.id, in: transaction)
    guard let taken = entries.first(where: { $0.kind == "\(back):\(refund.id)" }) else { return }
    try post(
      order, kind: "\(undone):\(refund.id)", from: taken.debit, to: taken.credit, amount: taken.amount,
      in: transaction)
    guard !refund.isSurplus, let sale = entries.first(where: { $0.kind == "sale" }) else { return }
    for share in entries where Self.shares.contains(share.kind) {
      let due = Self.part(
        min(total, sale.amount.minorUnits), of: sale.amount.minorUnits, from: share.amount.minorUnits)
      let kept = Money(
        minorUnits: max(0, Self.returned(share.kind, in: entries) - due), currency: share.amount.currency)
      try post(
        order, kind: "\(share.kind)_\(undone):\(refund.id)", from: share.credit, to: share.debit, amount: kept,
        in: transaction)
    }
  }

  /// Whether an order was refunded before refunds were kept on record: all of it went back.
  static func hasUnrecordedRefund(of order: UUID, in connection: any SQLConnection) throws -> Bool {
    try entries(of: order, in: connection).contains { $0.kind == "refund" }
  }

  /// What of the tax or the store's share has been given back.
  private static func returned(_ share: String, in entries: [Entry]) -> Int64 {
    entries.reduce(0) { sum, entry in
      let amount = entry.amount.minorUnits
      switch entry.kind.prefix(while: { $0 != ":" }) {
      case "\(share)_refund", "\(share)_dispute": return sum + amount
      case "\(share)_refund_failed", "\(share)_dispute_reinstated": return sum - amount
      default: return sum
      }
    }
  }

  /// The part of a share that belongs to a part of a price, rounded down. No product overflows.
  static func part(_ part: Int64, of price: Int64, from share: Int64) -> Int64 {
    guard price > 0, (0...price).contains(part), (0...price).contains(share) else { return 0 }
    return price.dividingFullWidth(share.multipliedFullWidth(by: part)).quotient
  }
}
