import Foundation
import OnsideCommerce
import Testing

@Suite("Entitlements", .timeLimit(.minutes(5)))
struct EntitlementTests {
  private static let moment = Date(timeIntervalSince1970: 1_766_743_200)
  private static let day: TimeInterval = 86_400

  private static func id(_ number: Int) -> UUID {
    UUID(uuidString: "0193F0A2-5C7B-7ABC-8DEF-\(String(format: "%012d", number))") ?? UUID()
  }

  private static func lasting(_ product: String, order: Int = 1, paid day: Double = 0) -> Entitlement {
    Entitlement(
      productID: product, productType: .nonConsumable, orderID: id(order), purchaseDate: moment + day * Self.day)
  }

  private static func period(_ product: String, order: Int, paid day: Double, days: Double) -> Entitlement {
    let start = moment + day * Self.day
    return Entitlement(
      productID: product, productType: .autoRenewableSubscription, subscriptionID: "plans", orderID: id(order),
      purchaseDate: start, expiresAt: start + days * Self.day, willRenew: false)
  }

  @Test("ENT-1: a list is the documented payload, field for field, and is read again as it was")
  func payload() throws {
    var subscription = Self.period("pro", order: 2, paid: 0, days: 1)
    subscription.graceUntil = Self.moment + 2 * Self.day
    subscription.willRenew = true
    subscription.appAccountToken = "user-1"
    subscription.revocation = Revocation(date: Self.moment, reason: .chargeback)
    let list = EntitlementList(
      bundleID: "io.example.lumen", environment: .sandbox, subject: "abc", issuedAt: Self.moment,
      validUntil: Self.moment + Self.day, nonce: "n1", entitlements: [Self.lasting("remove_ads"), subscription])
    let data = try TransactionHistory.encoder.encode(list)
    let expected = """
      {"bundle_id":"io.example.lumen","entitlements":[{"order_id":"0193f0a2-5c7b-7abc-8def-000000000001",\
      "original_order_id":"0193f0a2-5c7b-7abc-8def-000000000001","product_id":"remove_ads",\
      "product_type":"NON_CONSUMABLE","purchase_date":"2025-12-26T10:00:00Z"},\
      {"app_account_token":"user-1","expires_at":"2025-12-27T10:00:00Z","grace_until":"2025-12-28T10:00:00Z",\
      "order_id":"0193f0a2-5c7b-7abc-8def-000000000002",\
      "original_order_id":"0193f0a2-5c7b-7abc-8def-000000000002","product_id":"pro",\
      "product_type":"AUTO_RENEWABLE_SUBSCRIPTION","purchase_date":"2025-12-26T10:00:00Z",\
      "revocation_date":"2025-12-26T10:00:00Z","revocation_reason":"CHARGEBACK","subscription_id":"plans",\
      "will_renew":true}],"environment":"SANDBOX","issued_at":"2025-12-26T10:00:00Z","nonce":"n1","subject":"abc",\
      "valid_until":"2025-12-27T10:00:00Z"}
      """
    #expect(String(decoding: data, as: UTF8.self) == expected)
    let decoded = try TransactionHistory.decoder.decode(EntitlementList.self, from: data)
    #expect(decoded == list)
  }

  @Test("ENT-1: access ends with the period, or with the grace period behind it; what was taken back gives none")
  func access() {
    var period = Self.period("pro", order: 1, paid: 0, days: 1)
    #expect(period.isActive(at: Self.moment) && !period.isActive(at: Self.moment + Self.day))
    period.graceUntil = Self.moment + 3 * Self.day
    #expect(period.isActive(at: Self.moment + 2 * Self.day) && !period.isActive(at: Self.moment + 3 * Self.day))
    period.revocation = Revocation(date: Self.moment + Self.day, reason: .refund)
    #expect(!period.isActive(at: Self.moment), "also for who asks by a clock that is behind the store's")
    #expect(Self.lasting("remove_ads").isActive(at: .distantFuture))
  }

  @Test("ENT-1: each product and each group counts once: what is active first, then the latest")
  func current() {
    let renewed = (0..<3).map { Self.period("pro", order: 10 + $0, paid: Double($0 * 30), days: 30) }
    var refunded = Self.lasting("remove_ads", order: 1)
    refunded.revocation = Revocation(date: Self.moment + Self.day, reason: .refund)
    let again = Self.lasting("remove_ads", order: 2, paid: 5)
    let now = Self.moment + 65 * Self.day
    let current = Entitlement.current(
      among: renewed.reversed() + [again, refunded, Self.lasting("skin", order: 3)], at: now)
    #expect(current.map(\.orderID) == [Self.id(3), Self.id(2), Self.id(12)])

    var last = renewed[2]
    last.revocation = Revocation(date: now, reason: .refund)
    #expect(Entitlement.current(among: [renewed[1], last], at: now).map(\.orderID) == [last.orderID])
    let early = Self.moment + 59 * Self.day
    last.revocation = Revocation(date: early, reason: .refund)
    #expect(
      Entitlement.current(among: [renewed[1], last], at: early).map(\.orderID) == [renewed[1].orderID],
      "a period that is paid and not taken back counts")
  }

  @Test("ENT-1: of two plans that were bought in the same moment, the one that was replaced does not count")
  func sameMoment() {
    let replaced = Self.period("small", order: 9, paid: 0, days: 0)
    let present = Self.period("pro", order: 1, paid: 0, days: 7)
    for plans in [[replaced, present], [present, replaced]] {
      let current = Entitlement.current(among: plans, at: Self.moment + 8 * Self.day)
      #expect(current.map(\.orderID) == [present.orderID])
    }
  }

  @Test(
    "ENT-1: consumables and non-renewing subscriptions give no entitlement",
    arguments: [
      ProductKind.consumable, .nonRenewingSubscription, ProductKind(rawValue: "NEW"),
    ])
  func kinds(kind: ProductKind) {
    let purchase = InAppPurchase(
      orderID: Self.id(1), bundleID: "io.example.lumen", productID: "coins", productType: kind,
      price: Money(minorUnits: 499, currency: .eur), userCountry: .netherlands, purchaseDate: Self.moment,
      fetchedAt: Self.moment)
    #expect(Entitlement(purchase) == nil)
  }

  @Test("ENT-2: grace is told as soon as a renewal is asked for, and not once it is no longer wanted")
  func grace() throws {
    let plan = SubscriptionPlan(productID: "pro", period: .oneMonth, price: Money(minorUnits: 999, currency: .eur))
    var machine = SubscriptionMachine(terms: SubscriptionTerms(leadTime: 3600))
    _ = machine.handle(.purchased(plan), at: Self.moment)
    let end = try #require(machine.period?.end)
    #expect(machine.graceUntil == nil)
    _ = machine.handle(.clock, at: end - 3600)
    let grace = end + 16 * Self.day
    #expect(machine.stage == .active && machine.graceUntil == grace)
    let charge = try #require(machine.openCharge)
    var refused = machine
    _ = refused.handle(.chargeFailed(charge), at: end - 3000)
    #expect(refused.graceUntil == grace)
    _ = refused.handle(.clock, at: end)
    #expect(refused.stage == .grace && refused.graceUntil == grace && refused.entitledUntil == grace)
    _ = refused.handle(.clock, at: grace)
    #expect(refused.stage == .retry && refused.graceUntil == nil)
    var paid = machine
    _ = paid.handle(.chargeSucceeded(charge), at: end - 3000)
    #expect(paid.graceUntil == nil)
    _ = machine.handle(.autoRenewSwitched(on: false), at: end - 3000)
    #expect(machine.graceUntil == nil)
  }
}
