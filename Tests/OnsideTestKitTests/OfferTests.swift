import Foundation
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("Offers in a test session", .timeLimit(.minutes(5)))
struct OfferTests {
  private static func euros(_ cents: Int64) -> [CountryCode: Money] {
    [.netherlands: Money(minorUnits: cents, currency: .eur)]
  }

  private let session: OnsideTestSession = {
    let offers = [
      Offer(
        id: "back", kind: .winBack, mode: .payUpFront, period: .oneMonth, prices: euros(499),
        winBack: WinBackRule(paidMonths: 1, lapsedFrom: 1, lapsedTo: 24, waitMonths: 6)),
      Offer(
        id: "spring", kind: .code, mode: .payAsYouGo, period: .oneMonth, periodCount: 2, prices: euros(199),
        customers: [.new]),
      Offer(id: "loyal", kind: .promotional, mode: .freeTrial, period: .oneWeek),
      Offer(id: "thanks", kind: .code, mode: .freeTrial, period: .oneWeek),
    ]
    let product = Product(
      id: "pro", kind: .autoRenewableSubscription, referenceName: "pro", prices: euros(999),
      subscription: Subscription(groupID: "plans", groupName: "Plans", period: .oneMonth, offers: offers))
    var settings = StoreKitSettings()
    settings.storefront = .netherlands
    return OnsideTestSession(StoreKitConfiguration(products: [product], settings: settings))
  }()

  private var prices: [Int64] { session.store.transactions().map(\.price.minorUnits) }

  private func code(_ offer: String, as account: String = "Tester") -> LocalSubscriptionError.Code? {
    do throws(LocalSubscriptionError) {
      try session.redeem(offer, as: account)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("SUB-10: a win-back offer is for those whose subscription is over, by its rule; then the regular price follows")
  func winBack() async throws {
    let phone = session.device()
    phone.launch()
    #expect(code("back") == .offerNotEligible)
    try await phone.buy("pro")
    #expect(code("back") == .offerNotEligible)
    try session.subscription("pro").switchOffRenewal()
    try await session.advance(by: .months(1))
    #expect(session.subscription("pro").state == .expired)
    #expect(code("back") == .offerNotEligible)
    try await session.advance(by: .months(1))
    try session.redeem("back")
    #expect(session.subscription("pro").state == .subscribed && prices == [999, 499])
    try await session.advance(by: .months(1))
    #expect(prices == [999, 499, 999])
    try session.subscription("pro").expire()
    try await session.advance(by: .months(2))
    #expect(code("back") == .offerNotEligible)
  }

  @Test("SUB-11: an offer of codes is for the customers that it names, once an account, and reaches the app")
  func codes() async throws {
    let phone = session.device()
    let app = phone.launch()
    try await phone.logIn()
    try session.redeem("spring")
    try await session.settle()
    #expect(app.delivered.map(\.deliveryReason) == [.elsewhere])
    try await session.advance(by: .months(2))
    #expect(prices == [199, 199, 999])
    #expect(code("spring") == .offerNotEligible)
    try session.subscription("pro").expire()
    #expect(code("spring") == .offerNotEligible)
    #expect(code("thanks") == nil)
    try session.subscription("pro").expire()
    #expect(code("thanks") == .offerNotEligible)
    #expect(code("spring", as: "Anna") == nil)
    #expect(code("summer") == .noOffer)
  }

  @Test("SUB-11: the person redeems a code on the app's screen; who cancels, or enters a wrong one, has nothing")
  func codeScreen() async throws {
    let phone = session.device()
    let app = phone.launch()
    try await phone.run { try await Onside.presentCodeRedemption() }
    #expect(session.person.login == .logIn(as: "Tester") && prices.isEmpty)
    session.person.nextRedemption(.enter("summer"), .enter("Spring"), .enter(" SPRING "), .enter("spring"))
    session.person.nextPayment(.cancel, .pay)
    for _ in 0..<2 { try await phone.run { try await Onside.presentCodeRedemption() } }
    try await session.settle()
    #expect(app.delivered.isEmpty)
    for _ in 0..<2 { try await phone.run { try await Onside.presentCodeRedemption() } }
    try await session.settle()
    #expect(app.delivered.map(\.deliveryReason) == [.elsewhere])
    #expect(session.store.transactions().filter { $0.state == .purchased }.map(\.price.minorUnits) == [199])
    #expect(session.story.contains("reads: There is no such code."))
    #expect(session.story.contains("reads: This offer is not for this account now."))
  }

  @Test("SUB-11, SUB-24: a code of the app's screen, for the plan that runs, keeps the plan's token")
  func codeScreenToken() async throws {
    let phone = session.device()
    let app = phone.launch()
    try await phone.buy("pro", appAccountToken: "user-4711")
    try await session.advance(by: .days(1))
    session.person.nextRedemption(.enter("thanks"))
    try await phone.run { try await Onside.presentCodeRedemption(appAccountToken: "user-2") }
    try await session.settle()
    #expect(prices == [999, 0])
    #expect(app.delivered.map(\.payment.appAccountToken) == ["user-4711", "user-4711"])
  }

  @Test(
    "SUB-11: a code after the end of a subscription carries the token of the app's user, and none without one",
    arguments: [nil, "user-2"])
  func codeAfterEnd(token: String?) async throws {
    let phone = session.device()
    let app = phone.launch()
    try await phone.buy("pro", appAccountToken: "user-1")
    try session.subscription("pro").expire()
    session.person.nextRedemption(.enter("thanks"))
    try await phone.run {
      Onside.appAccountToken = token
      try await Onside.presentCodeRedemption()
    }
    try await session.settle()
    #expect(app.delivered.map(\.payment.appAccountToken) == ["user-1", token])
  }

  @Test("SUB-11: without a network the screen for codes is not shown, and the app is told so")
  func codeScreenOffline() async throws {
    let phone = session.device()
    phone.launch()
    try await phone.logIn()
    session.isOffline = true
    await #expect(throws: OnsideFailure.offline) {
      try await phone.run { try await Onside.presentCodeRedemption() }
    }
  }

  @Test("SUB-12: a promotional offer is for those who have subscribed before, and needs no signature here")
  func promotional() async throws {
    #expect(code("loyal") == .offerNotEligible)
    session.buy("pro")
    try session.subscription("pro").expire()
    try session.redeem("loyal")
    #expect(prices == [999, 0])
    try await session.advance(by: .weeks(1))
    #expect(prices == [999, 0, 999])
  }

  @Test("SUB-24: an offer of the running plan is accepted once, for its next renewal, and keeps the app's token")
  func accepted() async throws {
    let phone = session.device()
    let app = phone.launch()
    let token = "user-4711"
    try await phone.buy("pro", appAccountToken: token)
    try await session.advance(by: .days(1))
    try session.redeem("loyal")
    #expect(code("loyal") == .offerNotEligible)
    #expect(session.subscription("pro").state == .subscribed)
    try await session.advance(by: .months(1))
    try await session.advance(by: .weeks(1))
    #expect(prices == [999, 0, 0, 999], "the accepted offer's order is a duplicate, at the offer's price")
    #expect(app.delivered.allSatisfy { $0.payment.appAccountToken == token })
  }
}
