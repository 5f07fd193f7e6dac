import Foundation
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

/// Two databases with one account at Stripe.
@Suite("Stripe: a copied database", .timeLimit(.minutes(5)))
struct StripeCopyTests {
  @Test(
    "SUB-1: a copy of 30 hours later adopts the charge of a period, whatever its price and id",
    .onSQLite("a file is copied"), arguments: [(Int64(999), false), (899, false), (999, true)])
  func adopted(price: Int64, isDeclinedFirst: Bool) async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order("pro"))
      let outcome = try await shop.pay(order, with: .saved(saved.id, keep: true))
      #expect(outcome == .paid)
      let subscriber = Subscriber(shopper: shop.shopper, purchase: try await shop.shopper.order(order.id))
      let copy = try await Self.copy(of: shop, price: price)
      if isDeclinedFirst { try shop.stripe.decline(saved.details.reference, with: [Decline("insufficient_funds")]) }
      try await subscriber.pass(days: 34)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
      let charges = shop.stripe.payments
      #expect(charges.map(\.successfulCharges) == (isDeclinedFirst ? [1, 0, 1] : [1, 1]))
      shop.store.advance(by: .seconds(30 * 3600))
      try await copy.test { client in
        let shopper = Shopper(store: copy, client: client, accountID: shop.shopper.accountID, country: "NL")
        let copied = Subscriber(shopper: shopper, purchase: subscriber.purchase)
        try await copied.catchUp()
        let renewals = try await copied.renewals()
        #expect(renewals.map(\.state.stage) == [.paid])
        #expect(renewals.map(\.price.minorUnits) == [999])
        #expect(renewals.map(\.paymentID) == [charges.last?.metadata["charge"]])
        let faults = try await copied.faults()
        #expect(faults == [])
      }
      #expect(shop.stripe.payments == charges)
      await copy.core.dependencies.database.close()
    }
  }

  @Test("SUB-17: a copy adopts the card that has paid a renewal by hand", .onSQLite("a file is copied"))
  func adoptedCard() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order("pro"))
      try await shop.pay(order, with: .saved(saved.id, keep: true))
      let subscriber = Subscriber(shopper: shop.shopper, purchase: try await shop.shopper.order(order.id))
      let copy = try await Self.copy(of: shop, price: 999)
      try shop.stripe.decline(saved.details.reference, with: [Decline("expired_card", code: "expired_card")])
      try await subscriber.pass(days: 31)
      let renewal = try #require(try await subscriber.renewals().first)
      let unpaid = try await shop.shopper.order(OrderID(renewal.id))
      try await shop.pay(unpaid, with: .offered("card", save: false, keep: true))
      try await shop.enter("5555555555554444")
      let outcome = try await shop.confirm(unpaid)
      #expect(outcome == .paid)
      let card = try #require(shop.stripe.payments.last?.method)
      try await copy.test { client in
        let shopper = Shopper(store: copy, client: client, accountID: shop.shopper.accountID, country: "NL")
        let copied = Subscriber(shopper: shopper, purchase: subscriber.purchase)
        try await copied.catchUp()
        let stages = try await copied.renewals().map(\.state.stage)
        #expect(stages == [.paid])
        let method = try await copied.method()
        #expect(method?.details.reference == card && method?.isSaved == false)
      }
      await copy.core.dependencies.database.close()
    }
  }

  /// A store of a copy of the database, in which the plan has a price.
  private static func copy(of shop: StripeStore, price: Int64) async throws -> TestStore {
    let folder = try TemporaryFolder()
    _ = try DatabaseBackup(of: shop.store.folder.file("store.db")).write(to: folder.file("store.db"))
    let settings = shop.settings
    let store = try await TestStore(
      in: folder, clock: shop.clock, seed: 2,
      providers: [{ StripePaymentProvider(settings, $0) }, { SandboxPaymentProvider($0) }])
    var products = try TestShop.catalogue().products
    let plan = try #require(products.firstIndex { $0.id == "pro" })
    products[plan].prices = [try TestShop.country("NL"): try TestShop.money(price)]
    try await store.core.catalogue.replace(try Catalogue(products: products), of: TestShop.app.id)
    _ = try await store.core.subscriptions.reprice("pro", of: TestShop.app.id)
    return store
  }
}
