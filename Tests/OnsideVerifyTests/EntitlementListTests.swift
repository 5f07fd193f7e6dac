import Foundation
import OnsideCommerce
import OnsideVerify
import Testing

@Suite("What a list of entitlements is made of", .timeLimit(.minutes(5)))
struct EntitlementListTests {
  @Test("ENT-1: a period in its grace counts before one that was paid later, ahead, and taken back")
  func graceBesideRefund() throws {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    var machine = SubscriptionMachine()
    let price = Money(minorUnits: 499, currency: .eur)
    let plan = SubscriptionPlan(productID: "basic", period: .oneMonth, price: price)
    let offer = AcceptedOffer(kind: .code, mode: .payUpFront, period: .oneMonth, price: price)
    _ = machine.handle(.purchased(plan), at: start)
    let end = try #require(machine.period?.end)
    _ = machine.handle(.purchased(plan, offer: offer), at: start + 60)
    _ = machine.handle(.refunded(period: 2, .refund), at: start + 120)
    _ = machine.handle(.autoRenewSwitched(on: true), at: start + 180)
    _ = machine.handle(.clock, at: end)
    #expect(machine.isEntitled(at: end))
    let running = Self.entitlement(paidAt: start, until: end)
    var ahead = Self.entitlement(paidAt: start + 60, until: Period.oneMonth.adding(to: end))
    ahead.revocation = Revocation(date: start + 120, reason: .refund)
    let list = EntitlementList(
      of: [running, ahead], account: "account", app: "app", environment: .sandbox, at: end,
      subscriptions: [running.orderID: machine])
    #expect(list.entitlements.map(\.orderID) == [running.orderID])
    #expect(list.entitlements.allSatisfy { $0.isActive(at: end) })
  }

  private static func entitlement(paidAt: Date, until end: Date) -> Entitlement {
    Entitlement(
      productID: "basic", productType: .autoRenewableSubscription, subscriptionID: "plans", orderID: UUID(),
      purchaseDate: paidAt, expiresAt: end)
  }
}
