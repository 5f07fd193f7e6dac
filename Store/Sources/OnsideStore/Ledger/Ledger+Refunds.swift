import OnsideCommerce

/// Refunds of sales. A refund gives back its part of the store's share, too.
extension Ledger {
  /// Books a refund.
  ///
  /// - Parameter total: what goes back of the price with this refund and those before it, in the smallest unit.
  func refund(_ refund: Refund, of order: Order, total: Int64, in transaction: StoreTransaction) throws {
    let entries = try Self.entries(of: order.id, in: transaction)
    guard let sale = entries.first(where: { $0.kind == "sale" }) else { return }
    try post(
      order, kind: "refund:\(refund.id)", from: sale.debit, to: sale.credit, amount: refund.amount, in: transaction)
    guard let commission = entries.first(where: { $0.kind == "commission" }) else { return }
    let share = Self.part(total, of: sale.amount.minorUnits, from: commission.amount.minorUnits)
    let back = Money(
      minorUnits: max(0, share - Self.returnedCommission(entries)), currency: commission.amount.currency)
    try post(
      order, kind: "commission_refund:\(refund.id)", from: commission.debit, to: commission.credit, amount: back,
      in: transaction)
  }

  /// Books back a refund that failed.
  func refundFailed(_ refund: Refund, of order: Order, in transaction: StoreTransaction) throws {
    for entry in try Self.entries(of: order.id, in: transaction) {
      guard entry.kind == "refund:\(refund.id)" || entry.kind == "commission_refund:\(refund.id)" else { continue }
      let kind = entry.kind.hasPrefix("refund:") ? "refund_failed" : "commission_refund_failed"
      try post(
        order, kind: "\(kind):\(refund.id)", from: entry.debit, to: entry.credit, amount: entry.amount,
        in: transaction)
    }
  }

  /// What of the store's share has been given back.
  private static func returnedCommission(_ entries: [Entry]) -> Int64 {
    entries.reduce(0) { sum, entry in
      if entry.kind.hasPrefix("commission_refund:") { return sum + entry.amount.minorUnits }
      return entry.kind.hasPrefix("commission_refund_failed:") ? sum - entry.amount.minorUnits : sum
    }
  }

  /// The part of a share that belongs to a part of a price, rounded down. No product overflows.
  static func part(_ part: Int64, of price: Int64, from share: Int64) -> Int64 {
    guard price > 0, (0...price).contains(part), (0...price).contains(share) else { return 0 }
    return price.dividingFullWidth(share.multipliedFullWidth(by: part)).quotient
  }
}
