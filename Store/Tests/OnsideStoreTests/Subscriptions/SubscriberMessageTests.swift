import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// What subscribers are told, and when.
@Suite("Messages about subscriptions", .timeLimit(.minutes(5)))
struct SubscriberMessageTests {
  @Test("SUB-9: a failed charge is told once for each unpaid period, with the end of the access")
  func unpaid() async throws {
    try await MessageShop.subscribed(to: "pro") { subscriber, inbox in
      try await subscriber.shopper.replaceCards(by: .declined)
      try await subscriber.pass(days: 45)
      let mail = try #require(inbox.notices.first)
      #expect(inbox.notices.count == 1, "of five tries")
      #expect(mail.to.text == MessageShop.address && mail.subject == "pro: the payment has failed")
      let parts = [
        "The payment of €\u{00A0}19,99 for pro in Lumen was refused.", "until 26\u{00A0}Feb\u{00A0}2026",
        "Onside Example B.V.", "/account/subscriptions?app=io.example.lumen&group=plans",
      ]
      for part in parts { #expect(mail.text.contains(part), "\(part) in \(mail.text)") }
      try await subscriber.shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(days: 3)
      let stage = try await subscriber.machine().stage
      #expect(stage == .active)
      try await subscriber.shopper.replaceCards(by: .declined)
      try await subscriber.pass(days: 40)
      #expect(inbox.notices.count == 2)
    }
  }

  @Test(
    "SUB-9: a bank that asks for the buyer, and a missing method, are told as such",
    arguments: [
      (SandboxCard.secondStep, "Your bank asks you to confirm the payment of"), (nil, "there is no payment method"),
    ])
  func others(card: SandboxCard?, text: String) async throws {
    try await MessageShop.subscribed(to: "pro") { subscriber, inbox in
      try await subscriber.shopper.replaceCards(by: card)
      try await subscriber.pass(days: 33)
      #expect(inbox.notices.map { $0.text.contains(text) } == [true], "\(inbox.notices.map(\.text))")
    }
  }

  @Test("SUB-9: a trial of a week is told of three days before its end, once")
  func trial() async throws {
    try await MessageShop.subscribed(to: "small") { subscriber, inbox in
      try await subscriber.pass(to: try #require("01-13".midnight))
      #expect(inbox.notices.isEmpty)
      try await subscriber.pass(to: try #require("01-14".midnight))
      try await subscriber.pass(days: 1)
      let mail = try #require(inbox.notices.first)
      #expect(mail.subject == "small: €\u{00A0}4,99 per month from 16\u{00A0}Jan\u{00A0}2026")
      #expect(
        mail.text.hasPrefix("Your free trial of small in Lumen ends on 16\u{00A0}Jan\u{00A0}2026. Then it renews"))
      try await subscriber.pass(days: 60)
      let kinds = try await subscriber.kinds()
      #expect(kinds == [.offerEnds])
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [.sent])
    }
  }

  @Test("SUB-9: what begins between two milliseconds is told of, too", arguments: [0.1234567, 0.9999])
  func fraction(of second: TimeInterval) async throws {
    try await MessageShop.subscribed(to: "small", fraction: second) { subscriber, inbox in
      try await subscriber.pass(days: 6)
      #expect(inbox.notices.count == 1)
      try await subscriber.shopper.replaceCards(by: .declined)
      try await subscriber.pass(days: 4)
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [.sent, .sent])
    }
  }

  @Test("SUB-9: a yearly renewal is told of thirty days before, each year; one that is switched off is not")
  func yearly() async throws {
    try await MessageShop.subscribed(to: "yearly") { subscriber, inbox in
      try await subscriber.pass(days: 334)
      #expect(inbox.notices.isEmpty)
      try await subscriber.pass(days: 1)
      #expect(inbox.notices.map(\.subject) == ["yearly renews on 9\u{00A0}Jan\u{00A0}2027"])
      #expect(inbox.notices.first?.text.contains("and €\u{00A0}59,99 is charged.") == true)
      try await subscriber.pass(days: 366)
      #expect(inbox.notices.count == 2)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(days: 365)
      #expect(inbox.notices.count == 2)
    }
  }

  @Test("SUB-9: a message is looked at again before it is sent")
  func dropped() async throws {
    try await MessageShop.subscribed(to: "yearly") { subscriber, inbox in
      let store = subscriber.shopper.store
      store.advance(by: .seconds(336 * 86_400))
      try await store.core.subscriptions.passTime()
      #expect(try await subscriber.setAutoRenew(false))
      try await store.core.deliverOutbox()
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [.dropped])
      #expect(inbox.notices.isEmpty)
      let waiting = try await store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
  }

  @Test("SUB-9: a pause moves the renewal, which is told of again, thirty days before the new date")
  func paused() async throws {
    try await MessageShop.subscribed(to: "yearly") { subscriber, inbox in
      try await subscriber.pass(days: 340)
      let (key, subscriptions) = (subscriber.key, subscriber.shopper.store.core.subscriptions)
      #expect(try await subscriptions.pause(months: 3, of: key))
      try await subscriber.pass(days: 30)
      #expect(inbox.notices.count == 1)
      try await subscriber.pass(days: 90)
      #expect(inbox.notices.count == 2)
      #expect(inbox.notices.last?.subject == "yearly renews on 10\u{00A0}Apr\u{00A0}2027")
    }
  }

  @Test(
    "SUB-9: a new price is told when it is announced, whether it is higher or lower", arguments: [1099, 799] as [Int64])
  func price(cents: Int64) async throws {
    try await MessageShop.subscribed(to: "basic") { subscriber, inbox in
      try await subscriber.pass(days: 10)
      _ = try await subscriber.reprice(to: cents)
      let kinds = try await subscriber.kinds()
      #expect(kinds == [.price], "written with the price")
      try await subscriber.shopper.store.core.deliverOutbox()
      let mail = try #require(inbox.notices.first)
      #expect(mail.subject == "basic: new price from 10\u{00A0}Feb\u{00A0}2026")
      let new = cents == 1099 ? "10,99" : "7,99"
      #expect(mail.text.contains("costs €\u{00A0}\(new) per month. Before, it was €\u{00A0}9,99."), "\(mail.text)")
      try await subscriber.pass(days: 60)
      let secondKinds = try await subscriber.kinds()
      #expect(secondKinds == [.price])
    }
  }

  @Test("SUB-9: who has not answered to a new price is reminded once, a week before the end; who has answered is not")
  func question() async throws {
    for answer in [nil, true, false] {
      try await MessageShop.subscribed(to: "basic") { subscriber, inbox in
        try await subscriber.pass(days: 10)
        let outcome = try await subscriber.reprice(to: 1599)
        #expect(outcome == .asked)
        try await subscriber.shopper.store.core.deliverOutbox()
        if let answer { #expect(try await subscriber.answer(accepts: answer, at: 1599)) }
        try await subscriber.pass(to: try #require("02-03".midnight))
        let kinds = try await subscriber.kinds()
        #expect(kinds == (answer == nil ? [.question, .reminder] : [.question]))
        try await subscriber.pass(days: 60)
        let last = try #require(inbox.notices.last)
        let toldCount = try await subscriber.told().count
        #expect(toldCount == (answer == nil ? 2 : 1))
        #expect(last.text.contains("If you do not agree by then, it ends on 10\u{00A0}Feb\u{00A0}2026"))
      }
    }
  }

  @Test("SUB-9: a question in the last week is not repeated, and one that another price has replaced is not sent")
  func lateQuestion() async throws {
    try await MessageShop.subscribed(to: "basic") { subscriber, inbox in
      try await subscriber.pass(days: 27)
      let terms = RenewalPriceTerms(noticeDays: 1)
      let outcome = try await subscriber.reprice(to: 1599, on: terms)
      #expect(outcome == .asked)
      let secondOutcome = try await subscriber.reprice(to: 1699, on: terms)
      #expect(secondOutcome == .asked)
      try await subscriber.pass(days: 2)
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [.dropped, .sent])
      #expect(inbox.notices.map { $0.text.contains("16,99") } == [true])
    }
  }

  @Test("SUB-9: a clock that is moved far ahead tells first and charges then")
  func moved() async throws {
    try await MessageShop.subscribed(to: "small") { subscriber, inbox in
      let store = subscriber.shopper.store
      store.advance(by: .seconds(30 * 86_400))
      for _ in 0..<3 {
        try await store.core.subscriptions.passTime()
        try await store.core.deliverOutbox()
      }
      #expect(inbox.notices.count == 1)
      let told = try #require(try await subscriber.told().first)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(told.outcome == .sent && told.createdAt <= renewal.createdAt)
    }
  }

  @Test("SUB-9: a tester who lets the next event happen at once sees the message before it")
  func nextEvent() async throws {
    try await MessageShop.subscribed(to: "small") { subscriber, inbox in
      let (core, key) = (subscriber.shopper.store.core, subscriber.key)
      #expect(try await core.subscriptions.runNextEvent(of: key))
      try await core.deliverOutbox()
      #expect(inbox.notices.count == 1)
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 1)
    }
  }

  @Test("SUB-9: what is told is in the account's export, and is deleted with the account")
  func account() async throws {
    try await MessageShop.subscribed(to: "yearly") { subscriber, _ in
      try await subscriber.pass(days: 340)
      let core = subscriber.shopper.store.core
      let id = try await subscriber.account.id
      let export = try await core.accountExport.document(of: id)
      let text = String(decoding: export, as: UTF8.self)
      #expect(text.contains(#""kind" : "renewal""#) && text.contains(#""outcome" : "sent""#))
      let account = try await subscriber.account
      try await core.dependencies.database.write(at: core.dependencies.clock.now()) {
        try AccountRemovalRecords.clear(account, ordersTo: UUID().lowercase, in: $0)
      }
      let told = try await subscriber.told()
      #expect(told.isEmpty)
    }
  }
}
