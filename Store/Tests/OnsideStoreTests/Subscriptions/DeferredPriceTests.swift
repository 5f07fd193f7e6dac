import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Higher prices of which an account cannot be told.
@Suite("Prices that were not told", .timeLimit(.minutes(5)))
struct DeferredPriceTests {
  /// A subscriber to a plan of € 9.99, whose price is another one since.
  private static func repriced(
    to price: Int64 = 1099, contacts: [String] = [MessageShop.address], server: FailingSender = FailingSender(),
    _ body: @escaping @Sendable (Subscriber) async throws -> Void
  ) async throws {
    try await MessageShop.open(contacts: contacts, sender: server) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      _ = try await subscriber.reprice(to: price)
      try await shopper.store.core.deliverOutbox()
      try await body(subscriber)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-9: a higher price whose message was not sent is put off, and announced once for each period until it was",
    arguments: [MessageFailure.refused("550"), .unclear("no answer")])
  func refused(failure: MessageFailure) async throws {
    let server = FailingSender(failure)
    try await Self.repriced(server: server) { subscriber in
      try await subscriber.pass(to: try #require("03-15".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 999])
      let kinds = try await subscriber.kinds()
      #expect(kinds == [.price, .price, .price])
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes.allSatisfy { $0 != .sent && $0 != nil })
      let renewals = try await subscriber.renewals()
      #expect(renewals.allSatisfy { $0.state.stage == .paid })
      server.failure = nil
      try await subscriber.pass(to: try #require("04-15".midnight))
      let secondPrices = try await subscriber.prices()
      #expect(secondPrices == [999, 999, 999], "its message was refused in March")
      #expect(server.notices.count == 1)
      #expect(server.notices.first?.subject.contains("from 10\u{00A0}May\u{00A0}2026") == true)
      try await subscriber.pass(to: try #require("06-15".midnight))
      let thirdPrices = try await subscriber.prices()
      #expect(thirdPrices == [999, 999, 999, 1099, 1099])
      let priceAnswers = try await subscriber.priceAnswers()
      #expect(priceAnswers == [.deferred, .deferred, .deferred, nil])
      let toldCount = try await subscriber.told().count
      #expect(toldCount == 4)
    }
  }

  @Test("SUB-9: who cannot be reached keeps the price, and pays the new one once an address was told of it")
  func unreachable() async throws {
    try await Self.repriced(contacts: []) { subscriber in
      try await subscriber.pass(to: try #require("02-09".midnight))
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [.unreachable])
      try await subscriber.prove(MessageShop.address)
      try await subscriber.pass(to: try #require("03-15".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 1099])
      let secondOutcomes = try await subscriber.outcomes()
      #expect(secondOutcomes == [.unreachable, .sent])
    }
  }

  @Test("SUB-9: a price that needs consent, and of which nobody was told, ends nothing: it is put off and asked again")
  func unasked() async throws {
    try await Self.repriced(to: 1999, contacts: []) { subscriber in
      try await subscriber.pass(to: try #require("02-09".midnight))
      #expect(try await subscriber.machine().awaitsConsent)
      try await subscriber.prove(MessageShop.address)
      try await subscriber.pass(to: try #require("02-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999])
      let priceAnswers = try await subscriber.priceAnswers()
      #expect(priceAnswers == [.deferred, nil])
      #expect(try await subscriber.machine().awaitsConsent, "it is asked once more")
      try await subscriber.pass(to: try #require("03-15".midnight))
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.priceNotAccepted))
      let secondPrices = try await subscriber.prices()
      #expect(secondPrices == [999])
    }
  }

  @Test("SUB-9: a price that was put off and is withdrawn is not announced again")
  func withdrawn() async throws {
    try await Self.repriced(contacts: []) { subscriber in
      try await subscriber.shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-12".midnight))
      let priceAnswers = try await subscriber.priceAnswers()
      #expect(priceAnswers == [.deferred])
      let outcome = try await subscriber.reprice(to: 999)
      #expect(outcome == .unchanged)
      try await subscriber.shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(to: try #require("03-15".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 999])
      let secondPriceAnswers = try await subscriber.priceAnswers()
      #expect(secondPriceAnswers == [.deferred])
    }
  }

  @Test("SUB-9: a price is put off before anything is asked for: the renewal has one payment, and no try has failed")
  func oneTry() async throws {
    try await Self.repriced(contacts: []) { subscriber in
      try await subscriber.pass(to: try #require("02-12".midnight))
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.expiresAt == "03-10".midnight)
      let paymentCount = try await subscriber.shopper.store.payments(of: OrderID(renewal.id)).count
      #expect(paymentCount == 1)
    }
  }

  @Test("SUB-9: a refused card of a price that was put off is tried again at the price before")
  func tries() async throws {
    try await Self.repriced(contacts: []) { subscriber in
      try await subscriber.shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-12".midnight))
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      try await subscriber.shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(to: try #require("02-16".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999])
      let start = try await subscriber.machine().period?.start
      #expect(start == "02-10".midnight)
      let minorUnits = try await subscriber.machine().nextPrice?.minorUnits
      #expect(minorUnits == 1099, "announced once more")
    }
  }

  @Test("SUB-9: a price that was put off is announced again when a purchase has paid the due period")
  func duePaidByPurchase() async throws {
    try await Self.repriced(contacts: []) { subscriber in
      let shopper = subscriber.shopper
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-12".midnight))
      let outcome = try await shopper.agree(to: try await shopper.order("basic"))
      #expect(outcome == .paid)
      let machine = try await subscriber.machine()
      #expect(machine.period?.start == "02-10".midnight && machine.period?.price.minorUnits == 999)
      #expect(machine.nextPrice?.minorUnits == 1099)
    }
  }

  @Test("SUB-9: who renews beside the new price has seen it, also without a message")
  func agreed() async throws {
    try await Self.repriced(contacts: []) { subscriber in
      let core = subscriber.shopper.store.core
      #expect(try await subscriber.setAutoRenew(false))
      let price = Money(minorUnits: 1099, currency: .eur)
      #expect(try await core.subscriptions.setAutoRenew(true, shownPrice: price, of: subscriber.key))
      let priceAnswers = try await subscriber.priceAnswers()
      #expect(priceAnswers == [.accepted])
      try await subscriber.pass(days: 30)
      let prices = try await subscriber.prices()
      #expect(prices == [1099])
    }
  }

  @Test("SUB-9: a lower price needs no message")
  func lower() async throws {
    try await Self.repriced(to: 799, contacts: []) { subscriber in
      try await subscriber.pass(days: 30)
      let prices = try await subscriber.prices()
      #expect(prices == [799])
    }
  }
}

extension Subscriber {
  /// What its renewals cost, in cents.
  fileprivate func prices() async throws -> [Int64] { try await renewals().map(\.price.minorUnits) }

  fileprivate func priceAnswers() async throws -> [PriceChange.Answer?] {
    try await shopper.store.core.dependencies.database.read { [key] in
      try PriceChangeRecords.changes(of: key, in: $0).map(\.answer)
    }
  }

  /// Adds an address to its account.
  fileprivate func prove(_ address: String) async throws {
    let account = try #require(AccountID(shopper.accountID))
    let store = shopper.store
    try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
      let identity = Identity.contact(try #require(Contact(stored: address)))
      _ = try AccountRecords.addIdentity(
        ProvedIdentity(identity: identity, label: nil, provedAt: transaction.now), to: account, in: transaction)
    }
  }
}
