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

/// The events of subscriptions in a store. The plan is `basic`, paid from 10 January to 10 February.
@Suite("Events of subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionEventTests {
  @Test("MER-4: a start, a renewal, a decline, its recovery, the renewal switched off and the expiry are events")
  func life() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 40)
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("03-11".midnight))
      try await shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(days: 3)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(days: 40)
      let events = try await subscriber.events()
      #expect(
        events.map(\.note.text) == [
          "started PURCHASE", "renewed", "grace_began", "recovered", "renewal_switched_off", "expired CANCELLED",
        ])
      #expect(events.map(\.sequence) == [1, 2, 3, 4, 5, 6])
      // The renewal is charged an hour before its period.
      let times = try ["01-10T00:00", "02-09T23:00", "03-10T00:00"].map {
        try #require(RFC3339.date("2026-\($0):00Z"))
      }
      #expect(events.prefix(3).map(\.occurredAt) == times)
      #expect(events.last?.occurredAt == "04-10".midnight)
    }
  }

  @Test("MER-4: the object of an event is the subscription of the interface, with its first and last order")
  func object() async throws {
    try await PlanShop.open { shopper in
      let order = try await shopper.order("basic", token: "u1")
      _ = try await shopper.agree(to: order)
      let subscriber = Subscriber(shopper: shopper, purchase: try await shopper.order(order.id))
      try await subscriber.pass(days: 40)
      let event = try #require(try await subscriber.events().last)
      let shown = try await shopper.get("/v1/subscriptions").message(SubscriptionsMessage.self).subscriptions
      var message = try #require(shown.first)
      message.offers = nil
      let object = try WireCoding.decoder().decode(SubscriptionMessage.self, from: Data(event.data.utf8))
      #expect(object == message && object.nextPrice?.amount == 999)
      let renewal = try #require(try await subscriber.renewals().first)
      let fields = try event.fields()
      #expect(fields["original_order_id"] == .text(order.id.description))
      #expect(fields["last_order_id"] == .text(renewal.id.lowercase))
      #expect(event.account == shopper.accountID && event.token == "u1")
    }
  }

  @Test("A change of a subscription whose last order is missing is an event without the app's token")
  func missingOrder() async throws {
    try await PlanShop.open { shopper in
      let order = try await shopper.order("basic", token: "u1")
      _ = try await shopper.agree(to: order)
      let subscriber = Subscriber(shopper: shopper, purchase: try await shopper.order(order.id))
      let (key, missing) = (subscriber.key, shopper.store.freshID().lowercase)
      try await shopper.store.core.dependencies.database.write(at: shopper.store.clock.now()) { transaction in
        try transaction.execute("UPDATE subscriptions SET last_order_id = $1", [.text(missing)])
        try SubscriptionEvents.note(key, before: nil, in: transaction)
      }
      let events = try await subscriber.events()
      #expect(events.map(\.token) == ["u1", nil])
      let last = try events.last?.fields()["last_order_id"]
      #expect(last == .text(missing))
    }
  }

  @Test("MER-4: a chosen plan is planned, and changed with its payment; a bought plan changes at once")
  func plans() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      try await subscriber.pass(to: try #require("02-11".midnight))
      try await shopper.take("pro")
      let types = try await subscriber.events().map(\.note.text)
      #expect(
        types == [
          "started PURCHASE", "plan_change_planned DOWNGRADE", "renewed", "plan_changed DOWNGRADE",
          "plan_changed UPGRADE",
        ])
    }
  }

  @Test("MER-4: a question about a price, its refusal and the renewal that ends with it are events")
  func price() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let outcome = try await subscriber.reprice(to: 1599)
      #expect(outcome == .asked)
      try await shopper.store.core.deliverOutbox()
      #expect(try await subscriber.answer(accepts: false, at: 1599))
      try await subscriber.pass(days: 40)
      let types = try await subscriber.events().map(\.note.text)
      #expect(
        types == [
          "started PURCHASE", "price_consent_asked", "price_consent_answered DECLINED",
          "renewal_switched_off PRICE_NOT_ACCEPTED", "expired PRICE_NOT_ACCEPTED",
        ])
    }
  }

  @Test("MER-4: a planned pause, its beginning and end, and the payment after it are events")
  func pause() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await shopper.store.core.subscriptions.pause(months: 2, of: subscriber.key))
      try await subscriber.pass(to: try #require("04-10".midnight))
      let types = try await subscriber.events().map(\.note.text)
      #expect(types == ["started PURCHASE", "pause_planned", "paused", "resumed", "renewed"])
    }
  }

  @Test("MER-4: an extension, a refund and the grant that replaces the refunded order are events")
  func refund() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      _ = try await core.subscriptions.extend(subscriber.key, by: .days(7))
      _ = try await core.refunds.refund(subscriber.purchase.id.uuid, because: .refund)
      try await core.deliverOutbox()
      _ = try await core.grants.reinstate(subscriber.purchase.id.uuid)
      let types = try await subscriber.events().map(\.note.text)
      #expect(types == ["started PURCHASE", "extended", "revoked REFUND", "reinstated"])
    }
  }

  @Test("MER-4: a subscription that the operator stops within its period has expired, stopped")
  func stop() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let outcome = try await shopper.store.core.subscriptions.stopAtOnce(
        subscriber.key, because: .support, refund: .nothing)
      #expect(outcome == .over)
      let types = try await subscriber.events().map(\.note.text)
      #expect(types == ["started PURCHASE", "expired STOPPED"])
    }
  }

  @Test("MER-4: a purchase after an expiry that no write has applied has the events of both")
  func late() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      shopper.store.advance(by: .seconds(40 * 86_400))
      try await shopper.take("basic")
      let types = try await subscriber.events().map(\.note.text)
      #expect(
        types == ["started PURCHASE", "renewal_switched_off", "expired CANCELLED", "started RESUBSCRIPTION"])
    }
  }

  @Test("MER-4: a write that leaves a subscription as it is has no event")
  func unchanged() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let before = try await subscriber.events().count
      try await shopper.store.core.dependencies.database.write(at: shopper.store.clock.now()) {
        [key = subscriber.key] transaction in
        let known = try #require(try SubscriptionRecords.subscription(key, in: transaction))
        try SubscriptionRecords.save(known, in: transaction)
      }
      let after = try await subscriber.events().count
      #expect(before == 1 && after == 1)
    }
  }
}

extension LoggedEvent {
  var note: EventNote { EventNote(type: MerchantEventType(rawValue: type), cause: cause) }
}

extension Subscriber {
  /// The events of the subscription, the oldest first.
  fileprivate func events() async throws -> [LoggedEvent] {
    let customer = Customer(account: key.account, app: key.app)
    return try await shopper.store.events(of: "\(customer.subject)/\(key.group)", kind: .subscription)
  }
}
