import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore

/// What the store records as agreed, and by whom.
@Suite("Consents of subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionConsentTests {
  @Test(
    "SUB-19: a payment on a page that states the renewal records plan, price, method and buyer",
    arguments: [true, false])
  func page(isOwners: Bool) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic", isOwners: isOwners)
      let consent = try #require(try await subscriber.consents().first)
      let method = try #require(try await subscriber.method())
      #expect(consent.product == "basic" && consent.price.plainText == "999 EUR" && consent.period == .oneMonth)
      #expect(consent.method == method.id && consent.country.alpha2 == "NL")
      #expect(consent.way == .paymentPage && consent.giver == (isOwners ? .account : .payer))
      #expect(consent.givenAt == shopper.store.clock.now())
      try await subscriber.pass(days: 32)
      let count = try await subscriber.consents().count
      #expect(count == 1, "a renewal at the agreed price needs no other one")
    }
  }

  @Test("SUB-19: a trial's consent has the price after it, and an offer's also the price within it")
  func offers() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "small")
      let consent = try #require(try await subscriber.consents().first)
      #expect(consent.price.plainText == "499 EUR" && consent.offerPrice?.plainText == "0 EUR")
    }
  }

  @Test("SUB-19: a payment on a page that states no renewal records no consent")
  func ends() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe(keeping: false)
      let consents = try await subscriber.consents()
      #expect(consents.isEmpty)
    }
  }

  @Test("SUB-19: a chosen plan, the present one taken back, and another card are consents of the account")
  func choices() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.store.move(shopper.accountID, to: "DE")
      let choice = try await subscriber.choose("small", at: 549)
      #expect(choice == .planned)
      let secondChoice = try await subscriber.choose("basic", at: 999)
      #expect(secondChoice == .kept)
      let card = try await shopper.store.save(.callbackTwice, of: shopper.accountID)
      #expect(try await subscriber.setMethod(card))
      #expect(try await subscriber.setAutoRenew(false))
      #expect(try await subscriber.setAutoRenew(true))
      let consents = try await subscriber.consents()
      let found = consents.map { "\($0.product) \($0.price.plainText) \($0.country.alpha2) \($0.way) \($0.giver)" }
      #expect(
        found == [
          "basic 999 EUR NL paymentPage account", "small 549 EUR DE subscriptionPage account",
          "basic 999 EUR NL subscriptionPage account", "basic 999 EUR NL subscriptionPage account",
        ])
      #expect(consents.last?.method == card && consents.first?.method != card)
    }
  }

  @Test(
    "SUB-19: an answer, a notice and a lower price raise or lower the consent with its charge",
    arguments: [(1599, "subscriptionPage"), (1099, "notice"), (899, "lower")] as [(Int64, String)])
  func prices(price: Int64, way: String) async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      _ = try await subscriber.reprice(to: price)
      try await shopper.store.core.deliverOutbox()
      if price == 1599 { #expect(try await subscriber.answer(accepts: true, at: price)) }
      try await subscriber.pass(days: 32)
      let amounts = try await subscriber.renewals().map(\.price.minorUnits)
      let consents = try await subscriber.consents()
      #expect(amounts == [price])
      #expect(consents.map(\.price.minorUnits) == [999, price])
      #expect(consents.map { "\($0.way)" } == ["paymentPage", way])
    }
  }

  @Test("SUB-19: consents are deleted with their account")
  func removed() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await shopper.store.removeAccount(shopper.accountID))
      let consents = try await subscriber.consents()
      #expect(consents.isEmpty)
    }
  }
}

extension Subscriber {
  /// The consents to its renewals, the oldest first.
  func consents() async throws -> [SubscriptionConsent] {
    try await shopper.store.core.dependencies.database.read { [key] in
      try SubscriptionConsentRecords.all(of: key, in: $0)
    }
  }
}
