import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import StoreBase
@testable import StoreSales

/// The events of an order as the difference between its object before and after a transaction.
@Suite("Types of an order's events") struct OrderEventTypesTests {
  private static let now = Date(timeIntervalSince1970: 1_780_000_000)
  private static let earlier = now - 60

  private static func order(
    paidAt: Date = Self.earlier, refunds: [OrderStanding.RefundPart] = [], disputes: [OrderStanding.DisputePart] = [],
    revokedAt: Date? = nil, reinstates: UUID? = nil, grantCause: String? = nil
  ) -> OrderObject {
    var purchase = InAppPurchase(
      orderID: UUID(), bundleID: "app", productID: "pro", productType: .nonConsumable,
      price: Money(minorUnits: 499, currency: .eur), userCountry: .netherlands, purchaseDate: paidAt,
      revocation: revokedAt.map { Revocation(date: $0, reason: .support) }, fetchedAt: now)
    purchase.reinstates = reinstates
    return OrderObject(
      purchase: purchase, grantCause: grantCause,
      standing: OrderStanding(refunds: refunds, disputes: disputes, revokedAt: revokedAt))
  }

  private static func refund(
    _ id: String, _ amount: Int64, _ state: Refund.State = .asked, requestedAt: Date = Self.now, endedAt: Date? = nil,
    origin: String = "operator"
  ) -> OrderStanding.RefundPart {
    OrderStanding.RefundPart(
      id: id, amount: amount, state: state.rawValue, reason: "REFUND", origin: origin, requestedAt: requestedAt,
      endedAt: endedAt)
  }

  private static func dispute(
    _ state: Dispute.State, openedAt: Date = Self.now, closedAt: Date? = nil
  ) -> OrderStanding.DisputePart {
    OrderStanding.DisputePart(
      id: "d", amount: 499, reason: "fraudulent", state: state.rawValue, openedAt: openedAt, closedAt: closedAt)
  }

  private func notes(_ before: OrderStanding?, _ after: OrderObject) -> [String] {
    OrderEventTypes.notes(from: before, to: after, at: Self.now).map { note in
      note.cause.map { "\(note.type.rawValue) (\($0))" } ?? note.type.rawValue
    }
  }

  @Test("A payment of this transaction is order.paid, a grant that replaces an order is order.reinstated")
  func paid() {
    #expect(notes(nil, Self.order(paidAt: Self.now)) == ["order.paid"])
    #expect(notes(nil, Self.order(paidAt: Self.now, grantCause: "operator")) == ["order.paid (operator)"])
    let grant = Self.order(paidAt: Self.now, reinstates: UUID(), grantCause: "refund")
    #expect(notes(nil, grant) == ["order.reinstated (refund)"])
    #expect(notes(Self.order().standing, Self.order(paidAt: Self.now)) == [])
    #expect(notes(nil, Self.order()) == [])
    #expect(notes(nil, Self.order(paidAt: Self.now + 60)) == [])
  }

  @Test("A higher refunded amount is order.refunded with the newest refund's origin; its success is no event")
  func refunded() {
    let first = Self.order(refunds: [Self.refund("a", 100)])
    #expect(notes(Self.order().standing, first) == ["order.refunded (operator)"])
    let settled = Self.order(refunds: [Self.refund("a", 100, .settled)])
    #expect(notes(first.standing, settled) == [])
    let second = Self.order(
      refunds: [Self.refund("a", 100, .settled), Self.refund("b", 399, origin: "provider")], revokedAt: Self.now)
    #expect(notes(settled.standing, second) == ["order.refunded (provider)", "order.revoked (SUPPORT)"])
  }

  @Test("A failed refund is order.refund_failed once, and the next refund order.refunded")
  func failed() {
    let asked = Self.order(refunds: [Self.refund("a", 100)])
    let failed = Self.order(refunds: [Self.refund("a", 100, .failed)])
    #expect(notes(asked.standing, failed) == ["order.refund_failed (operator)"])
    #expect(notes(failed.standing, failed) == [])
    #expect(notes(Self.order().standing, failed) == ["order.refund_failed (operator)"])
    let next = Self.order(refunds: [Self.refund("a", 100, .failed), Self.refund("b", 100, origin: "stop command")])
    #expect(notes(failed.standing, next) == ["order.refunded (stop command)"])
  }

  @Test("A dispute is opened and closed once; a warning is no event")
  func disputes() {
    let (none, warning) = (Self.order(), Self.order(disputes: [Self.dispute(.warning)]))
    let open = Self.order(disputes: [Self.dispute(.open)])
    let won = Self.order(disputes: [Self.dispute(.won, closedAt: Self.now)])
    #expect(notes(none.standing, warning) == [])
    #expect(notes(warning.standing, open) == ["dispute.opened (fraudulent)"])
    #expect(notes(open.standing, open) == [])
    #expect(notes(open.standing, won) == ["dispute.closed (won)"])
    #expect(notes(none.standing, won) == ["dispute.opened (fraudulent)", "dispute.closed (won)"])
  }

  @Test("Money that a bank returns is no order.refund_failed; the next refund is order.refunded")
  func returned() {
    let (taken, back) = (
      Self.refund("d", 499, .settled, origin: "bank"), Self.refund("d", 499, .failed, origin: "bank")
    )
    let won = Self.dispute(.won, closedAt: Self.now)
    let open = Self.order(refunds: [taken], disputes: [Self.dispute(.open)])
    let closed = Self.order(refunds: [back], disputes: [won])
    #expect(notes(open.standing, closed) == ["dispute.closed (won)"])
    // The bank may return the money after the dispute's last event.
    let late = Self.order(refunds: [taken], disputes: [won])
    #expect(notes(late.standing, closed) == [])
    let next = Self.order(refunds: [back, Self.refund("b", 499)], disputes: [won])
    for before in [late, closed] { #expect(notes(before.standing, next) == ["order.refunded (operator)"]) }
  }

  @Test("An order without events has those of this transaction's time only")
  func older() {
    let refund = Self.refund("a", 100, .failed, requestedAt: Self.earlier, endedAt: Self.now)
    #expect(notes(nil, Self.order(refunds: [refund])) == ["order.refund_failed (operator)"])
    let old = Self.order(
      refunds: [Self.refund("a", 499, .settled, requestedAt: Self.earlier, endedAt: Self.earlier)],
      disputes: [Self.dispute(.lost, openedAt: Self.earlier, closedAt: Self.earlier)], revokedAt: Self.earlier)
    #expect(notes(nil, old) == [])
    let closed = Self.order(
      disputes: [Self.dispute(.lost, openedAt: Self.earlier, closedAt: Self.now)], revokedAt: Self.now)
    #expect(notes(nil, closed) == ["dispute.closed (lost)", "order.revoked (SUPPORT)"])
  }

  @Test("The JSON of an order has the fields of a history's purchase without fetched_at, and its standing is read back")
  func json() throws {
    let order = Self.order(
      refunds: [Self.refund("a", 100, .settled, endedAt: Self.now)], disputes: [Self.dispute(.open)],
      revokedAt: Self.earlier, grantCause: "operator")
    let data = Data(order.json.utf8)
    let standing = try WireCoding.decoder().decode(OrderStanding.self, from: data)
    #expect(standing == order.standing)
    let fields = try WireCoding.decoder().decode([String: PayloadValue].self, from: data)
    let history = try WireCoding.decoder().decode(
      [String: [[String: PayloadValue]]].self, from: Data(PurchaseJSON.history([order.purchase])))
    var purchase = try #require(history["transactions"]?.first)
    purchase["fetched_at"] = nil
    #expect(purchase.allSatisfy { fields[$0.key] == $0.value })
    #expect(
      Set(fields.keys).subtracting(purchase.keys) == ["disputes", "grant_cause", "refunded", "refunds", "state"])
    #expect(fields["refunded"] == .integer(100) && fields["state"] == .text("paid"))
  }
}
