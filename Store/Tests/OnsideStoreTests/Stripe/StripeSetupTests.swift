import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

/// Cards that are saved on the page of saved methods, by people who close their browsers.
@Suite("Stripe: cards that are saved without a payment", .timeLimit(.minutes(5)))
struct StripeSetupTests {
  /// Begins to save a card on the page.
  private static func begin(_ shop: StripeStore) async throws -> MethodsSession {
    let customer = Customer(account: shop.shopper.accountID, app: TestShop.app.id)
    let token = shop.store.freshID().lowercase
    let session = try await shop.store.core.dependencies.database.write(at: shop.clock.now()) { transaction in
      try MethodsSessionRecords.insert(token, for: customer, in: transaction)
      return try MethodsSessionRecords.session(token, in: transaction)
    }
    let begun = try #require(session)
    let outcome = try await shop.store.core.payments.add("card", fields: [:], session: begun)
    #expect(outcome == .needsAction)
    return begun
  }

  @Test(
    "PAY-7: a card that was saved while the browser was closed is taken over, by the webhook call or an hour later",
    arguments: [true, false])
  func closed(isTold: Bool) async throws {
    try await StripeStore.run { shop in
      _ = try await Self.begin(shop)
      try await shop.setUp()
      let methods = try await shop.methods()
      #expect(methods.isEmpty)
      if isTold { try await shop.tell() } else { try await shop.later(3601) }
      let lastFours = try await shop.methods().map(\.details.lastFour)
      #expect(lastFours == ["4242"])
      try await shop.tell()
      try await shop.later(3601)
      let saved = try await shop.methods()
      #expect(saved.count == 1)
      #expect(shop.stripe.setups.map(\.status) == ["succeeded"])
    }
  }

  @Test("PAY-7: a card that was taken over and removed does not come back, however often Stripe tells of it")
  func removed() async throws {
    try await StripeStore.run { shop in
      var policy = DeliveryPolicy()
      policy.delay = 60
      shop.stripe.setPolicy(policy)
      _ = try await Self.begin(shop)
      try await shop.setUp()
      try await shop.later(60)
      await shop.stripe.deliver { await shop.take($0) }
      try await shop.store.core.deliverOutbox()
      let saved = try #require(try await shop.methods().first)
      #expect(try await shop.store.core.payments.remove(saved.id, of: shop.shopper.accountID))
      try await shop.later(3601)
      try await shop.tell()
      #expect(try await shop.methods().isEmpty && shop.stripe.savedMethods.isEmpty)
    }
  }

  @Test("PAY-7: a setup that was begun and left is cancelled at Stripe after an hour, also one whose answer was lost")
  func left() async throws {
    try await StripeStore.run { shop in
      _ = try await Self.begin(shop)
      shop.stripe.next(.answerLost, on: "POST setup_intents")
      await #expect(throws: StripeError.self) { _ = try await Self.begin(shop) }
      try await shop.later(3599)
      #expect(Set(shop.stripe.setups.map(\.status)) == ["requires_payment_method"])
      try await shop.later(2)
      #expect(shop.stripe.setups.map(\.status) == ["canceled", "canceled"])
      await #expect(throws: StripeError.self) { try await shop.setUp() }
      try await shop.tell()
      let methods = try await shop.methods()
      #expect(methods.isEmpty)
    }
  }

  @Test("PAY-7: an account that is removed while a card is being saved leaves no customer at Stripe")
  func removedCustomer() async throws {
    try await StripeStore.run { shop in
      let session = try await Self.begin(shop)
      #expect(shop.stripe.customers.count == 1)
      try await shop.removeAccount()
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.customers.isEmpty)
      // The removal was between two steps of the page.
      let outcome = try await shop.store.core.payments.add("card", fields: [:], session: session)
      #expect(outcome == .refused)
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.customers.isEmpty)
    }
  }

  @Test("PAY-7: nor one that the store has not heard of")
  func removedUnheard() async throws {
    try await StripeStore.run { shop in
      shop.stripe.next(.answerLost, on: "POST customers")
      await #expect(throws: StripeError.self) { _ = try await Self.begin(shop) }
      #expect(shop.stripe.customers.count == 1)
      try await shop.removeAccount()
      try await shop.later(3601)
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.customers.isEmpty)
    }
  }

  @Test("PAY-7: a card that was saved for an account that is removed meanwhile is not kept")
  func removedAccount() async throws {
    try await StripeStore.run { shop in
      _ = try await Self.begin(shop)
      try await shop.setUp()
      try await shop.removeAccount()
      try await shop.tell()
      try await shop.later(3601)
      let methods = try await shop.methods()
      #expect(methods.isEmpty)
    }
  }

  @Test("SUB-17: a card that is saved charges nothing of an unpaid subscription")
  func unpaid() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order("pro")
      try await shop.pay(order, with: .offered("card", save: false, keep: true))
      try await shop.enter()
      try await shop.confirm(order)
      let subscriber = Subscriber(shopper: shop.shopper, purchase: order)
      let used = try #require(try await shop.store.core.payments.listedMethods(of: shop.shopper.accountID).first)
      try shop.stripe.decline(
        used.method.details.reference, with: [Decline("expired_card", code: "expired_card")])
      try await subscriber.pass(days: 31)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.open])
      _ = try await Self.begin(shop)
      try await shop.setUp()
      for _ in 0..<2 { try await shop.tell() }
      let methodCount = try await shop.methods().count
      #expect(methodCount == 1)
      let secondStages = try await subscriber.renewals().map(\.state.stage)
      #expect(secondStages == [.open])
    }
  }
}
