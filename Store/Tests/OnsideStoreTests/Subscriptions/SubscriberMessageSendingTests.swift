import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// How messages about subscriptions reach people.
@Suite("Sending of messages about subscriptions", .timeLimit(.minutes(5)))
struct SubscriberMessageSendingTests {
  @Test("SUB-9: a store that slept until a renewal charges the price before, and announces the new one for the next")
  func slept() async throws {
    let inbox = Inbox()
    try await MessageShop.open(sender: inbox) { shopper in
      let (subscriber, store) = (try await shopper.subscribe(to: "basic"), shopper.store)
      try await store.core.deliverOutbox()
      try await store.core.catalogue.replace(try PlanShop.catalogue(["basic": 1049]), of: TestShop.app.id)
      _ = try await store.core.subscriptions.reprice("basic", of: TestShop.app.id)
      store.advance(by: .seconds(31 * 86_400 - 1800))
      try await store.core.subscriptions.passTime()
      for _ in 0..<4 {
        try await store.core.deliverOutbox()
        store.advance(by: .seconds(2))
      }
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.price.minorUnits) == [999] && renewals.map(\.state.stage) == [.paid])
      #expect(inbox.notices.map(\.subject) == ["basic: new price from 10\u{00A0}Mar\u{00A0}2026"])
    }
  }

  @Test("SUB-9: an account with a phone number alone gets a short text; an e-mail address comes first")
  func channels() async throws {
    try await MessageShop.subscribed(to: "yearly", contacts: [MessageShop.phone]) { subscriber, inbox in
      try await subscriber.pass(days: 340)
      let text = try #require(inbox.notices.first)
      #expect(text.to.text == MessageShop.phone)
      #expect(text.text.hasPrefix("Onside: yearly in Lumen renews on 9 Jan 2027, and € 59,99 is charged. http"))
      #expect(GSMAlphabet.canWrite(text.text))
    }
    try await MessageShop.subscribed(to: "yearly", contacts: [MessageShop.address, MessageShop.phone]) {
      try await $0.pass(days: 340)
      #expect($1.notices.map(\.to.text) == [MessageShop.address])
    }
  }

  @Test("A gateway whose templates have no text sends codes alone")
  func codesAlone() {
    var configuration = MessageConfiguration()
    let sender = { HTTPMessageSender(configuration: configuration, url: "https://gateway.example/{to}") }
    #expect(sender().takesText)
    configuration.template = #"{"to":"{to}","code":"{code}"}"#
    #expect(!sender().takesText)
    configuration.headers = MessageHeaders(parsing: "X-Text: {text}") ?? MessageHeaders()
    #expect(sender().takesText)
  }

  @Test("SUB-9: without an address that can be reached the message is kept as not sent")
  func unreachable() async throws {
    let codes = FailingSender(takesText: false)
    try await MessageShop.open(contacts: [MessageShop.phone], sender: codes) { shopper in
      let subscriber = try await shopper.subscribe(to: "yearly")
      try await subscriber.pass(days: 340)
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [.unreachable])
      #expect(codes.tries == 0)
    }
  }

  @Test("SUB-9: a gateway that fails for a time is tried again, and one message arrives")
  func retried() async throws {
    try await MessageShop.subscribed(to: "yearly") { subscriber, inbox in
      inbox.failNext(3)
      try await subscriber.pass(days: 335)
      for _ in 0..<4 { try await subscriber.pass(days: 0.01) }
      #expect(inbox.notices.count == 1)
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [.sent])
    }
  }

  @Test(
    "SUB-9: what may have arrived, or was refused for good, is not sent again",
    arguments: [MessageFailure.unclear("no answer"), .refused("550")])
  func givenUp(failure: MessageFailure) async throws {
    let gateway = FailingSender(failure)
    try await MessageShop.open(sender: gateway) { shopper in
      let subscriber = try await shopper.subscribe(to: "yearly")
      try await shopper.store.core.deliverOutbox()
      let receipts = gateway.tries
      try await subscriber.pass(days: 335)
      for _ in 0..<4 { try await subscriber.pass(days: 0.01) }
      #expect(gateway.tries == receipts + 1)
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [failure == .refused("550") ? .refused : .unclear])
    }
  }

  @Test("SUB-9: a store that was killed while it sent does not send again what may have arrived")
  func killed() async throws {
    let gateway = FailingSender()
    try await MessageShop.open(sender: gateway) { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "yearly"), shopper.store.core)
      try await core.deliverOutbox()
      let receipts = gateway.tries
      shopper.store.advance(by: .seconds(336 * 86_400))
      try await core.subscriptions.passTime()
      let message = try #require(try await subscriber.told().first)
      try await core.dependencies.database.write(at: core.dependencies.clock.now()) {
        try SubscriberMessageRecords.setTried(true, message.id, in: $0)
      }
      try await core.deliverOutbox()
      #expect(gateway.tries == receipts)
      let outcomes = try await subscriber.outcomes()
      #expect(outcomes == [.unclear])
    }
  }

  @Test("SUB-9: every message is there in every language", arguments: Language.allCases)
  func languages(language: Language) async throws {
    try await MessageShop.subscribed(to: "small", language: language.rawValue) { subscriber, inbox in
      try await subscriber.pass(to: try #require("01-15".midnight))
      try await subscriber.pass(to: try #require("01-20".midnight))
      _ = try await subscriber.reprice("small", to: 1599)
      try await subscriber.pass(to: try #require("02-14".midnight))
      try await subscriber.shopper.replaceCards(by: .declined)
      #expect(try await subscriber.answer(accepts: true, at: 1599))
      try await subscriber.pass(to: try #require("02-18".midnight))
      let kinds = try await subscriber.kinds()
      #expect(kinds == [.offerEnds, .question, .reminder, .unpaid])
      #expect(inbox.notices.count == 4)
      for notice in inbox.notices {
        for text in [notice.subject, notice.text] {
          #expect(!text.contains("{") && !text.contains("notice"), "\(text)")
          #expect(text.contains("\u{2068}") == (language == .arabic))
        }
      }
    }
  }

  @Test("SUB-9: standard output shows what a tester is told: a mail's subject and text, and a text for phones")
  func console() async throws {
    let mail = "onside mail for ann@example.org : yearly renews on 9\u{00A0}Jan\u{00A0}2027\n  yearly in"
    try await expectLine(mail, on: MessageShop.address)
    let text = "onside text for +31612345689 : Onside: yearly in Lumen renews on 9 Jan 2027"
    try await expectLine(text, on: MessageShop.phone)
  }

  /// Receipts come on standard output as well, in no fixed order.
  private func expectLine(_ start: String, on contact: String) async throws {
    let lines = Mutex<[String]>([])
    let sender = ConsoleMessageSender { line in lines.withLock { $0.append(line) } }
    try await MessageShop.open(contacts: [contact], sender: sender) { shopper in
      let subscriber = try await shopper.subscribe(to: "yearly")
      try await subscriber.pass(days: 340)
      let told = lines.withLock { $0 }
      #expect(told.count { $0.hasPrefix(start) } == 1, "\(told)")
    }
  }
}
