import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

// What follows is shown in the documentation of OnsideKit (WinPeopleBack.md), word for word.

/// What the app offers to those whose subscription is over, and to those who come with a code.
@MainActor
final class Comeback {
  /// The best win-back offer for this account, with its product; nil when there is none.
  var offer: (product: OnsideProduct, offer: OnsideProductOffer)? {
    get async throws {
      for known in try await Onside.subscriptionStatus(group: "plans").offers {
        let products = try await Onside.products(for: [known.productIdentifier]).products
        let offers = products.first?.offers ?? []
        guard let product = products.first,
          let offer = offers.first(where: { $0.offerIdentifier == known.offerIdentifier }), offer.kind == .winBack
        else { continue }
        return (product, offer)
      }
      return nil
    }
  }

  /// What the button says: both prices.
  func words(for product: OnsideProduct, _ offer: OnsideProductOffer) -> String {
    "Come back for \(offer.terms.price.formatted), then \(product.price.formatted)"
  }

  /// Buys with an offer; true when it is paid. A promotional one comes with the signature of the app's server.
  func buy(
    _ product: OnsideProduct, offer identifier: String, signature: String? = nil, user: String? = nil
  ) async throws -> Bool {
    let queue = Onside.defaultPaymentQueue()
    let offer = OnsidePaymentOffer(offerIdentifier: identifier, signature: signature)
    let result = try await queue.purchase(product, appAccountToken: user, offer: offer)
    guard case .purchased(let transaction) = result else { return false }
    queue.finishTransaction(transaction)
    return true
  }

  /// Opens the page for codes. The purchase carries `Onside.appAccountToken`, and comes to the observers as bought
  /// elsewhere.
  func enterCode() async throws {
    try await Onside.presentCodeRedemption()
  }
}

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

  @Test("SUB-10: who has left is offered to come back, and pays the regular price after the offer's")
  func winBack() async throws {
    let session = OnsideTestSession(plans)
    let (phone, comeback) = (session.device(), Comeback())
    phone.launch()
    try await phone.buy("pro")
    #expect(try await phone.run { try await comeback.offer == nil })

    try session.subscription("pro").switchOffRenewal()
    try await session.advance(by: .months(1))
    let bought = try await phone.run {
      guard let (product, offer) = try await comeback.offer else { return false }
      return try await comeback.buy(product, offer: offer.offerIdentifier)
    }
    #expect(bought)
    try await session.advance(by: .months(1))
    #expect(session.store.transactions().map(\.price.minorUnits) == [999, 499, 999])
  }

  @Test("SUB-11: a code is redeemed on the store's page, and reaches the app as bought elsewhere")
  func code() async throws {
    let session = OnsideTestSession(plans)
    let (phone, comeback) = (session.device(), Comeback())
    let app = phone.launch()

    session.person.nextRedemption(.enter("spring"))
    try await phone.run { try await comeback.enterCode() }
    try await session.settle()
    #expect(app.delivered.map(\.deliveryReason) == [.elsewhere])
    #expect(session.subscription("pro").state == .subscribed)
  }

  @Test("SUB-12: who has left buys with an offer that the app's server gives")
  func promotional() async throws {
    let session = OnsideTestSession(plans)
    let (phone, comeback) = (session.device(), Comeback())
    phone.launch()
    try await phone.buy("pro")
    try session.subscription("pro").expire()
    try await session.settle()
    let bought = try await phone.run {
      let product = try await Onside.products(for: ["pro"]).products[0]
      #expect(comeback.words(for: product, product.offers[0]).contains("then"))
      return try await comeback.buy(product, offer: "loyal", user: "user-4711")
    }
    #expect(bought)
    #expect(session.store.transactions().map(\.price.minorUnits).sorted() == [0, 999])
  }
}
