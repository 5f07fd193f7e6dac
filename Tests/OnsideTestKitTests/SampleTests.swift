import Foundation
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("The samples of the README and the documentation", .timeLimit(.minutes(5)))
struct SampleTests {
  @Test("DOC-1: the README's sample delivers only what was bought or restored, and takes back what was refunded")
  func readme() async throws {
    try await play {
      let shop = ReadmeSample.Shop()
      try? shop.start()
      return shop
    } buy: { shop, product in
      try await shop.buy(product)
    }
  }

  @Test("DOC-1: the sample of Getting Started does so, too")
  func gettingStarted() async throws {
    try await play {
      let shop = GettingStartedSample.Shop()
      Onside.defaultPaymentQueue().add(observer: shop)
      return shop
    } buy: { _, product in
      guard let product = try await Onside.products(for: [product]).products.first else { return }
      try await Onside.defaultPaymentQueue().add(OnsidePayment(product: product))
    }
  }

  @Test("DOC-1: the game of the test kit's examples does so, too")
  func game() async throws {
    let session = OnsideTestSession(selling: .consumable("coins_100"), .subscription("pro_monthly"))
    let (phone, saved) = (session.device(), SavedGame())
    phone.launch { Game(saved) }
    session.person.nextPayment(.decline, .cancel)
    for _ in 1...2 { try await phone.buy("coins_100") }
    #expect(saved.coins == 0 && saved.delivered.isEmpty)
    for product in ["coins_100", "pro_monthly"] { try await phone.buy(product) }
    try await phone.restore()
    #expect(saved.coins == 100 && saved.proUntil != nil && saved.delivered.count == 2)
    for product in ["coins_100", "pro_monthly"] { #expect(session.refund(product)) }
    try await session.wait(until: "the coins are taken back") { saved.coins == 0 && saved.proUntil == nil }
    #expect(phone.queue.transactions.isEmpty)
  }

  /// Bought, declined, cancelled, restored, refunded.
  private func play<App: Sample>(
    _ launch: @MainActor () -> App, buy: @escaping @MainActor (App, String) async throws -> Void
  ) async throws {
    let session = OnsideTestSession(selling: .consumable("coins_100"), .nonConsumable("remove_ads"))
    let phone = session.device()
    let shop = phone.launch(launch)
    let receipts = Receipts.of(shop)
    func states() -> [String] {
      receipts.delivered.map { "\($0.payment.product.productIdentifier) \($0.transactionState)" }
    }

    session.person.nextPayment(.decline, .cancel)
    for times in 1...2 {
      try await phone.run { try await buy(shop, "coins_100") }
      try await session.expect("coins_100", .failed, times: times)
    }
    #expect(states() == [])

    for product in ["coins_100", "remove_ads"] {
      try await phone.run { try await buy(shop, product) }
      try await session.transaction(of: product, in: .finished)
    }
    #expect(states() == ["coins_100 purchased", "remove_ads purchased"])

    try await phone.restore()
    #expect(states() == ["coins_100 purchased", "remove_ads purchased", "remove_ads restored"])

    #expect(session.refund("remove_ads"))
    try await session.wait(until: "the refund has come") { !receipts.takenBack.isEmpty }
    #expect(receipts.takenBack.map(\.id) == receipts.delivered.suffix(1).map(\.id))
    #expect(phone.queue.transactions.isEmpty)
  }
}
