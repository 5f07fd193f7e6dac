import Foundation
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("The article on winning people back", .timeLimit(.minutes(5)))
struct WinPeopleBackTests {
  private let plans: StoreKitConfiguration = {
    func euros(_ cents: Int64) -> [CountryCode: Money] { [.netherlands: Money(minorUnits: cents, currency: .eur)] }
    let offers = [
      Offer(id: "back", kind: .winBack, mode: .payUpFront, period: .oneMonth, prices: euros(499)),
      Offer(id: "spring", kind: .code, mode: .payUpFront, period: .oneMonth, prices: euros(199)),
      Offer(id: "loyal", kind: .promotional, mode: .freeTrial, period: .oneWeek),
    ]
    let pro = Product(
      id: "pro", kind: .autoRenewableSubscription, referenceName: "pro", prices: euros(999),
      subscription: Subscription(groupID: "plans", groupName: "Plans", period: .oneMonth, offers: offers))
    var settings = StoreKitSettings()
    settings.storefront = .netherlands
    return StoreKitConfiguration(products: [pro], settings: settings)
  }()

  private let file = ShopFile.new()

  @Test("SUB-10: an account that has left gets a win-back offer, and pays the regular price after the offer's")
  func winBack() async throws {
    let session = OnsideTestSession(plans)
    let phone = session.device()
    let shop = try phone.launch { try Shop.start(file: file) }
    try await phone.buy("pro")
    #expect(try await phone.run { try await shop.winBackOffer(in: "plans") == nil })

    try session.subscription("pro").switchOffRenewal()
    try await session.advance(by: .months(1))
    try await phone.run {
      let (product, offer) = try #require(try await shop.winBackOffer(in: "plans"))
      _ = try await shop.buy(product, offer: offer.offerIdentifier)
    }
    try await session.advance(by: .months(1))
    #expect(session.store.transactions().map(\.price.minorUnits) == [999, 499, 999])
  }

  @Test("SUB-11: a code is redeemed on the store's page, and the shop finishes the purchase")
  func code() async throws {
    let session = OnsideTestSession(plans)
    let phone = session.device()
    let shop = try phone.launchShop()
    session.person.nextRedemption(.enter("spring"))
    try await phone.run { try await shop.enterCode() }
    try await session.transaction(of: "pro", in: .finished)
    #expect(session.subscription("pro").state == .subscribed)
  }

  @Test("SUB-12: an account that has left buys with an offer of the app's server")
  func promotional() async throws {
    let session = OnsideTestSession(plans)
    let phone = session.device()
    let shop = try phone.launchShop()
    try await phone.buy("pro")
    try session.subscription("pro").expire()
    try await session.settle()
    let result = try await phone.run {
      let product = try #require(try await Onside.products(for: ["pro"]).products.first)
      let offer = try #require(product.offers.first)
      #expect(shop.label(for: product, offer).contains("then"))
      return try await shop.buy(product, offer: "loyal", user: "user-4711")
    }
    guard case .purchased = result else {
      Issue.record("expected .purchased, got \(result)")
      return
    }
    #expect(session.store.transactions().map(\.price.minorUnits).sorted() == [0, 999])
  }
}
