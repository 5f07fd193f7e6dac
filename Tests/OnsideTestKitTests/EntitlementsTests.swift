import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

/// An app made of the samples of the article on what was bought (Entitlements.md), which stand here word for word.
@MainActor
private final class Samples {
  private(set) var unlocked: [Set<String>] = []
  private(set) var said: [String] = []

  func asks() async -> Bool {
    let isPro = await Onside.entitlements.contains { $0.productIdentifier == "pro_monthly" && $0.isActive }
    return isPro
  }

  func follows() async {
    for await entitlements in Onside.entitlementUpdates {
      unlock(Set(entitlements.filter(\.isActive).map(\.productIdentifier)))
    }
  }

  func tells() async throws {
    let status = try await Onside.subscriptionStatus(group: "plans")
    if status.willAutoRenew, let price = status.nextPrice {
      say("Renews for \(price.formatted)")
    }
  }

  private func unlock(_ products: Set<String>) { unlocked.append(products) }
  private func say(_ text: String) { said.append(text) }
}

@MainActor
@Suite("The article on unlocking what was bought", .timeLimit(.minutes(5)))
struct EntitlementsTests {
  private let app = Samples()
  private let session = OnsideTestSession(
    selling: .subscription("pro_monthly", price: "9.99", group: "plans", graceDays: 16),
    .nonConsumable("remove_ads"), .consumable("coins"))

  private func isPro(on phone: TestDevice) async throws -> Bool { try await phone.run { await app.asks() } }

  @Test("ENT-1: bought elsewhere, renewed or in its grace period it is unlocked, refunded it is not")
  func ask() async throws {
    let phone = session.device()
    let pro = session.subscription("pro_monthly")
    phone.launch()
    try await phone.logIn()
    #expect(try await !isPro(on: phone))
    session.buy("pro_monthly")
    try await session.settle()
    #expect(try await isPro(on: phone))
    try await session.advance(by: .months(1))
    #expect(try await isPro(on: phone))
    #expect(pro.transactions.count == 2)

    try pro.fail(.cardDeclined)
    try await session.advance(by: .months(1))
    #expect(try await isPro(on: phone))
    #expect(pro.state == .inGracePeriod)
    try pro.fixBilling()
    try pro.refund()
    try await session.settle()
    #expect(try await !isPro(on: phone))
  }

  @Test("ENT-5: an app that follows hears of a login, each purchase, renewal, refund, the end and a logout")
  func follow() async throws {
    let phone = session.device()
    phone.launch()
    try await phone.run { Task { await app.follows() } }
    try await waits(for: [])
    try await phone.buy("pro_monthly")
    try await waits(for: ["pro_monthly"])
    let heard = app.unlocked.count
    try await session.advance(by: .months(1))
    try await session.wait(until: "the renewal is heard of") { app.unlocked.count > heard }
    #expect(app.unlocked.suffix(from: heard).allSatisfy { $0 == ["pro_monthly"] })

    for product in ["remove_ads", "coins"] { try await phone.buy(product) }
    try await waits(for: ["pro_monthly", "remove_ads"])
    #expect(session.refund("remove_ads"))
    try await waits(for: ["pro_monthly"])
    let before = app.unlocked.count
    try session.subscription("pro_monthly").switchOffRenewal()
    try await session.wait(until: "the renewal is heard to be off") { app.unlocked.count > before }
    try await session.advance(by: .months(1))
    try await waits(for: [])

    try await phone.buy("remove_ads")
    try await waits(for: ["remove_ads"])
    phone.client.logout()
    try await waits(for: [])
    try await phone.logIn()
    try await waits(for: ["remove_ads"])
  }

  @Test("ENT-3: the next launch knows it without a network, until the period's end and for 90 days for what lasts")
  func offline() async throws {
    let phone = session.device()
    phone.launch()
    for product in ["pro_monthly", "remove_ads"] { try await phone.buy(product) }
    #expect(try await isPro(on: phone))
    try await session.settle()
    phone.crash()
    session.isOffline = true
    phone.launch()
    #expect(try await isPro(on: phone))
    let lasts = { try await phone.run { await Onside.entitlements.filter(\.isActive).map(\.productIdentifier) } }
    try await session.advance(by: .months(1))
    let result = try await lasts()
    #expect(result == ["remove_ads"])
    try await session.advance(by: .days(58))
    let secondResult = try await lasts()
    #expect(secondResult == ["remove_ads"])
    try await session.advance(by: .days(2))
    #expect(try await lasts().isEmpty)
  }

  @Test("ENT-7: the price of the next renewal is told while there is one")
  func status() async throws {
    let phone = session.device()
    phone.launch()
    try await phone.run { try await app.tells() }
    #expect(app.said.isEmpty)
    try await phone.buy("pro_monthly")
    try await phone.run { try await app.tells() }
    let price = try await phone.product("pro_monthly").price
    #expect(app.said == ["Renews for \(price.formatted)"])
    try session.subscription("pro_monthly").switchOffRenewal()
    try await phone.run { try await app.tells() }
    #expect(app.said.count == 1)
  }

  /// The products that are active at the first read after `body`, which follows an earlier read.
  private func firstRead(
    on phone: TestDevice, after body: @escaping @MainActor () async throws -> Void
  ) async throws -> [String] {
    try await phone.run {
      _ = await Onside.entitlements
      try await body()
      return await Onside.entitlements.filter(\.isActive).map(\.productIdentifier)
    }
  }

  @Test("ENT-2: the first read after purchase() of a product or a higher plan contains what was bought")
  func afterPurchase() async throws {
    let session = OnsideTestSession(
      selling: .subscription("pro_monthly", price: "9.99", group: "plans", level: 2),
      .subscription("pro_yearly", every: .years(1), price: "79.99", group: "plans", level: 1))
    let phone = session.device()
    phone.launch()
    for plan in ["pro_monthly", "pro_yearly"] {
      let active = try await firstRead(on: phone) {
        let product = try #require(try await Onside.products(for: [plan]).products.first)
        _ = try await Onside.defaultPaymentQueue().purchase(product)
      }
      #expect(active == [plan])
    }
  }

  @Test("ENT-2: the first read after the page for codes contains the redeemed subscription")
  func afterCode() async throws {
    let offer = Offer(
      id: "spring", kind: .code, mode: .payUpFront, period: .oneMonth,
      prices: [.netherlands: Money(minorUnits: 199, currency: .eur)])
    let pro = Product(
      id: "pro", kind: .autoRenewableSubscription, referenceName: "pro",
      prices: [.netherlands: Money(minorUnits: 999, currency: .eur)],
      subscription: Subscription(groupID: "plans", groupName: "Plans", period: .oneMonth, offers: [offer]))
    var settings = StoreKitSettings()
    settings.storefront = .netherlands
    let session = OnsideTestSession(StoreKitConfiguration(products: [pro], settings: settings))
    let phone = session.device()
    phone.launch()
    try await phone.logIn()
    session.person.nextRedemption(.enter("spring"))
    let active = try await firstRead(on: phone) { try await Onside.presentCodeRedemption() }
    #expect(active == ["pro"])
  }

  @Test("ENT-2: an observer that is notified of a purchase or a refund reads the new list")
  func inCallback() async throws {
    let phone = session.device()
    let reader = Reader()
    phone.launch { Onside.defaultPaymentQueue().add(observer: reader) }
    try await phone.run { _ = await Onside.entitlements }
    try await phone.buy("remove_ads")
    let purchased = try await phone.run { await reader.read?.value }
    #expect(purchased == ["remove_ads"])
    #expect(session.refund("remove_ads"))
    try await session.settle()
    let refunded = try await phone.run { await reader.read?.value }
    #expect(refunded == [])
  }

  private func waits(for products: Set<String>) async throws {
    try await session.wait(until: "\(products.sorted()) to be unlocked") { app.unlocked.last == products }
  }
}

/// An app that reads the entitlements in its observer's callbacks.
@MainActor
private final class Reader: OnsidePaymentTransactionObserver {
  /// The active products at the last callback.
  private(set) var read: Task<[String], Never>?

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    guard transactions.contains(where: { $0.transactionState == .purchased }) else { return }
    look()
    for transaction in transactions { queue.finishTransaction(transaction) }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) { look() }

  private func look() {
    read = Task { await Onside.entitlements.filter(\.isActive).map(\.productIdentifier) }
  }
}
