import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// Renewals of who objects to a payment at the bank.
@Suite("Renewals during a dispute", .timeLimit(.minutes(5)))
struct DisputedRenewalTests {
  /// A subscriber to a plan of € 9.99 of whose purchase its bank is told in some events.
  private static func disputed(
    _ events: [String] = ["dispute_opened"], _ body: @escaping @Sendable (Subscriber, Inbox) async throws -> Void
  ) async throws {
    try await MessageShop.subscribed(to: "basic") { subscriber, inbox in
      try await subscriber.pass(days: 10)
      try await subscriber.bank(events)
      try await body(subscriber, inbox)
    }
  }

  @Test("SUB-4: while a dispute is open nothing is charged and no card is blamed; won, the renewal is charged at once")
  func won() async throws {
    try await Self.disputed { subscriber, inbox in
      for day in ["02-10", "02-20", "02-24"] {
        try await subscriber.pass(to: try #require(day.midnight))
        let stage = try await subscriber.machine().stage
        #expect(stage == .grace)
      }
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .open, "its buyer may pay by hand")
      let payments = try await subscriber.shopper.store.payments(of: OrderID(renewal.id))
      #expect(payments.isEmpty)
      #expect(inbox.notices.isEmpty)
      try await subscriber.bank(["dispute_won"])
      let paid = try await subscriber.renewals()
      #expect(paid.map(\.id) == [renewal.id] && paid.map(\.state.stage) == [.paid])
      #expect(paid.first?.expiresAt == "03-10".midnight, "the date stays")
      try await subscriber.pass(to: try #require("03-12".midnight))
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid, .paid])
    }
  }

  @Test("SUB-4: an open dispute outlives the grace period: no access, no charge, and one of an earlier period counts")
  func long() async throws {
    try await Self.disputed([]) { subscriber, inbox in
      try await subscriber.pass(to: try #require("02-20".midnight))
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 1)
      try await subscriber.bank(["dispute_opened"])
      try await subscriber.pass(to: try #require("04-01".midnight))
      let stage = try await subscriber.machine().stage
      #expect(stage == .retry)
      let restorable = try await subscriber.shopper.restorable()
      #expect(restorable.isEmpty)
      try await subscriber.pass(to: try #require("06-01".midnight))
      let secondStage = try await subscriber.machine().stage
      #expect(secondStage == .expired(.billingError))
      try await subscriber.bank(["dispute_won"])
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid, .cancelled], "nothing is charged any more")
      #expect(inbox.notices.isEmpty)
    }
  }

  @Test("SUB-4: a dispute that is lost ends the subscription, and what was held back is not charged")
  func lost() async throws {
    try await Self.disputed(["dispute_opened", "funds_withdrawn"]) { subscriber, _ in
      try await subscriber.pass(to: try #require("02-12".midnight))
      try await subscriber.bank(["dispute_lost"])
      try await subscriber.pass(to: try #require("03-12".midnight))
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.cancelled])
      #expect(try await !subscriber.machine().isSubscribed)
    }
  }

  @Test("SUB-4: a dispute whose end was not reported holds renewals for 120 days", arguments: [119, 121])
  func forgotten(days: Int) async throws {
    try await MessageShop.subscribed(to: "basic") { subscriber, _ in
      try await subscriber.pass(days: 10)
      try await subscriber.bank(["dispute_opened"])
      let store = subscriber.shopper.store
      let opened = store.clock.now().addingTimeInterval(Double(20 - days) * 86_400)
      try await store.core.dependencies.database.write {
        try $0.execute("UPDATE disputes SET opened_at = $1", [.date(opened)])
      }
      // The renewal is due 20 to 21 days after the report.
      try await subscriber.pass(to: try #require("02-10".midnight))
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == (days > 120 ? [.paid] : [.open]))
    }
  }

  @Test("SUB-4: a charge that was asked for and has not reached the provider is not made after a dispute")
  func askedFor() async throws {
    try await Self.disputed([]) { subscriber, _ in
      let store = subscriber.shopper.store
      let end = try #require(subscriber.purchase.expiresAt)
      store.advance(by: .seconds(end.timeIntervalSince(store.clock.now()) - 1800))
      try await store.core.subscriptions.passTime()
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.processing])
      try await subscriber.bank(["dispute_opened"])
      let secondStages = try await subscriber.renewals().map(\.state.stage)
      #expect(secondStages == [.open])
      try await subscriber.pass(days: 5)
      let thirdStages = try await subscriber.renewals().map(\.state.stage)
      #expect(thirdStages == [.open])
      try await subscriber.bank(["dispute_won"])
      let fourthStages = try await subscriber.renewals().map(\.state.stage)
      #expect(fourthStages == [.paid])
    }
  }

  @Test("SUB-4: what a bank has refused before a dispute is not charged when that is won, but in its planned try")
  func refusedBefore() async throws {
    try await Self.disputed([]) { subscriber, _ in
      try await subscriber.shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let renewal = try #require(try await subscriber.renewals().first)
      try await subscriber.bank(["dispute_opened", "dispute_won"])
      let tries = try await subscriber.shopper.store.payments(of: OrderID(renewal.id))
      #expect(tries.count == 1, "the card is not asked once more")
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
    }
  }

  @Test("SUB-17: after a dispute the method of the subscription is charged, and no saved card")
  func method() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe(saving: false)
      try await shopper.store.save(.declined, of: shopper.accountID)
      try await subscriber.bank(["dispute_opened"])
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) + 86_400)
      try await subscriber.bank(["dispute_won"])
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
    }
  }

  @Test("SUB-4: the page says that the bank decides, and support sees the dispute")
  func page() async throws {
    try await Self.disputed { subscriber, _ in
      try await subscriber.pass(to: try #require("02-12".midnight))
      let core = subscriber.shopper.store.core
      let current = try #require(try await core.subscriptions.current(of: subscriber.key.account).first)
      let view = SubscriptionView(current, texts: Texts(.english))
      #expect(view.state.text == "Payment on hold" && view.lead.hasPrefix("A payment of this subscription is disputed"))
      let details = try await core.dependencies.database.read { [key = subscriber.key] in
        try SubscriptionDetails(of: key, in: $0)
      }
      #expect(details?.dispute?.hasPrefix("sandbox:") == true)
    }
  }
}

extension Subscriber {
  /// The bank of the purchase's payment does something, and the store does what follows.
  fileprivate func bank(_ events: [String]) async throws {
    let store = shopper.store
    let payment = try #require(try await store.payments(of: purchase.id).first)
    for type in events {
      let status = try await store.event(type, payment: payment, order: purchase.id, with: shopper.client)
      #expect(status == .noContent, "\(type)")
    }
    try await store.core.deliverOutbox()
  }
}
