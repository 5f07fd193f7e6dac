import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// The terms on which a price applies to present subscribers, on the plan of € 9.99 from 10 January on.
@Suite("Prices for present subscribers", .timeLimit(.minutes(5)))
struct RenewalPriceTests {
  private static func subscribed(
    to plan: String = "basic", server: FailingSender = FailingSender(),
    _ body: @escaping @Sendable (Subscriber, FailingSender) async throws -> Void
  ) async throws {
    try await MessageShop.open(sender: server) { shopper in
      let subscriber = try await shopper.subscribe(to: plan)
      try await body(subscriber, server)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-8: a price set during a trial applies after its first regular period")
  func trial() async throws {
    try await Self.subscribed(to: "small") { subscriber, _ in
      let outcome = try await subscriber.reprice("small", to: 549)
      #expect(outcome == .later)
      try await subscriber.pass(to: try #require("03-20".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [499, 549, 549])
    }
  }

  @Test("SUB-8: a price set while another plan is chosen applies when the choice is withdrawn")
  func chosenPlan() async throws {
    try await Self.subscribed { subscriber, _ in
      let choice = try await subscriber.choose("small", at: 499)
      #expect(choice == .planned)
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .otherPlan)
      let secondChoice = try await subscriber.choose("basic", at: 0)
      #expect(secondChoice == .kept)
      try await subscriber.pass(to: try #require("02-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [1099])
    }
  }

  @Test(
    "SUB-8: a rise that is set eight days before a period applies to it; one that is set seven days before, to the next"
  )
  func notice() async throws {
    try await Self.subscribed { subscriber, _ in
      try await subscriber.pass(to: try #require("02-02".midnight))
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .higher)
    }
    try await Self.subscribed { subscriber, _ in
      try await subscriber.pass(to: try #require("02-03".midnight))
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .later)
      try await subscriber.pass(to: try #require("03-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 1099])
      let kinds = try await subscriber.kinds()
      #expect(kinds == [.price])
    }
  }

  @Test("SUB-8: a notice is at most half a period: one of 30 days is 14 days in February")
  func longNotice() async throws {
    for (day, expected): (String, PriceChangeReport.Outcome) in [("02-23", .higher), ("02-25", .later)] {
      try await Self.subscribed { subscriber, _ in
        try await subscriber.pass(to: try #require(day.midnight))
        let outcome = try await subscriber.reprice(to: 1099, on: RenewalPriceTerms(noticeDays: 30))
        #expect(outcome == expected, "\(day)")
      }
    }
  }

  @Test("SUB-8: a price that was set while the renewal was unpaid applies to the next period")
  func unpaid() async throws {
    try await Self.subscribed { subscriber, _ in
      try await subscriber.shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .later)
      try await subscriber.shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(to: try #require("03-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 1099])
    }
  }

  @Test("SUB-8: a price of another country does not apply, and a newer price takes the place of an older one")
  func newest() async throws {
    try await Self.subscribed(to: "small") { subscriber, _ in
      let core = subscriber.shopper.store.core
      let germany = try TestShop.country("DE")
      _ = try await subscriber.reprice("small", to: 549)
      _ = try await subscriber.reprice("small", to: 529)
      try await core.catalogue.replace(try PlanShop.catalogue(["small": 599]), of: TestShop.app.id)
      let counts = try await core.subscriptions.reprice("small", of: TestShop.app.id, in: germany).counts
      #expect(counts.isEmpty)
      try await subscriber.pass(to: try #require("02-20".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [499, 529])
    }
  }

  @Test("SUB-8: a price that is set again before and after its charge is announced once")
  func repeated() async throws {
    try await Self.subscribed { subscriber, _ in
      try await subscriber.pass(days: 10)
      let outcomes = [try await subscriber.reprice(to: 1099), try await subscriber.reprice(to: 1099)]
      #expect(outcomes == [.higher, .unchanged])
      try await subscriber.pass(to: try #require("04-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [1099, 1099, 1099])
      let kinds = try await subscriber.kinds()
      #expect(kinds == [.price])
      let last = try await subscriber.reprice(to: 1099)
      #expect(last == .unchanged)
    }
  }

  @Test("SUB-9: a rise whose message is sent later than its notice is announced again for the next period")
  func lateMessage() async throws {
    try await Self.subscribed(server: FailingSender(.notAccepted("mail server"))) { subscriber, server in
      try await subscriber.pass(days: 10)
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .higher)
      try await subscriber.pass(to: try #require("02-08".midnight))
      server.failure = nil
      try await subscriber.pass(to: try #require("03-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 1099])
      let subjects = server.notices.map(\.subject)
      #expect(subjects.count == 1)
      #expect(subjects.first?.contains("10\u{00A0}Mar\u{00A0}2026") == true)
    }
  }

  @Test("SUB-8: a price with a first day applies to periods that begin on that day or later")
  func validFrom() async throws {
    try await Self.subscribed { subscriber, _ in
      try await subscriber.pass(days: 1)
      let terms = RenewalPriceTerms(validFrom: try #require("03-10".midnight))
      let outcome = try await subscriber.reprice(to: 1099, on: terms)
      #expect(outcome == .later)
      try await subscriber.pass(to: try #require("03-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 1099])
    }
  }

  @Test(
    "SUB-8: a price that may be declined without an end is asked about once; without an answer the old one is charged")
  func unanswered() async throws {
    try await Self.subscribed { subscriber, server in
      try await subscriber.pass(days: 10)
      let terms = RenewalPriceTerms(rules: .always, keepsPriceWithoutConsent: true)
      let outcome = try await subscriber.reprice(to: 1049, on: terms)
      #expect(outcome == .asked)
      try await subscriber.pass(to: try #require("04-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 999, 999])
      let kinds = try await subscriber.kinds()
      #expect(kinds == [.question], "no reminder")
      #expect(server.notices.first?.text.contains("Otherwise you keep paying") == true)
      let answers = try await subscriber.answers()
      #expect(answers == [.unanswered])
      let secondOutcome = try await subscriber.reprice(to: 1049, on: terms)
      #expect(secondOutcome == .asked, "asked by a new price")
      #expect(try await subscriber.answer(accepts: true, at: 1049))
      try await subscriber.pass(to: try #require("05-12".midnight))
      let secondPrices = try await subscriber.prices()
      #expect(secondPrices.last == 1049)
    }
  }

  @Test("SUB-8: a price that is declined without an end leaves renewal and price as they are")
  func declined() async throws {
    try await Self.subscribed { subscriber, _ in
      try await subscriber.pass(days: 10)
      _ = try await subscriber.reprice(to: 1599, on: RenewalPriceTerms(keepsPriceWithoutConsent: true))
      #expect(try await subscriber.answer(accepts: false, at: 1599))
      let machine = try await subscriber.machine()
      #expect(machine.autoRenews && !machine.awaitsConsent && machine.nextPrice?.minorUnits == 999)
      try await subscriber.pass(to: try #require("03-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [999, 999])
      let answers = try await subscriber.answers()
      #expect(answers == [.declined])
    }
  }

  @Test("SUB-8: a price that is withdrawn less than a day before its period is charged once, and then no more")
  func withdrawnLate() async throws {
    try await Self.subscribed { subscriber, _ in
      try await subscriber.pass(days: 10)
      _ = try await subscriber.reprice(to: 1099)
      try await subscriber.pass(to: try #require("02-09".midnight) + 72_000)
      let outcome = try await subscriber.reprice(to: 999)
      #expect(outcome == .later)
      try await subscriber.pass(to: try #require("03-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [1099, 999])
    }
  }

  @Test("SUB-8: a rise that is lowered within its notice is not charged: the next period has the price before")
  func loweredLate() async throws {
    for first: Int64 in [1099, 1599] {
      try await Self.subscribed { subscriber, _ in
        try await subscriber.pass(days: 10)
        _ = try await subscriber.reprice(to: first)
        try await subscriber.pass(to: try #require("02-05".midnight))
        let outcome = try await subscriber.reprice(to: 1049)
        #expect(outcome == .later)
        try await subscriber.pass(to: try #require("03-12".midnight))
        let prices = try await subscriber.prices()
        #expect(prices == [999, 1049])
        let answers = try await subscriber.answers()
        #expect(answers == [.superseded, nil])
      }
    }
  }

  @Test("SUB-8: a price that was set before an account subscribes again does not apply to that purchase")
  func returning() async throws {
    try await Self.subscribed { subscriber, _ in
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(to: try #require("03-01".midnight))
      let core = subscriber.shopper.store.core
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 1099]), of: TestShop.app.id)
      _ = try await core.subscriptions.reprice("basic", of: TestShop.app.id)
      try await subscriber.pass(to: try #require("04-01".midnight))
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 899]), of: TestShop.app.id)
      _ = try await subscriber.shopper.subscribe(to: "basic")
      let pending = try await subscriber.machine().pendingPrice
      #expect(pending == nil)
    }
  }

  @Test("SUB-8: a price that was set before a plan was chosen again does not apply to that choice")
  func laterChoice() async throws {
    try await Self.subscribed { subscriber, _ in
      let choice = try await subscriber.choose("yearly", at: 5999)
      #expect(choice == .planned)
      _ = try await subscriber.reprice(to: 1099)
      let core = subscriber.shopper.store.core
      try await core.catalogue.replace(try PlanShop.catalogue(), of: TestShop.app.id)
      try await subscriber.pass(days: 365)
      let secondChoice = try await subscriber.choose("basic", at: 999)
      #expect(secondChoice == .planned)
      try await subscriber.pass(days: 100)
      let prices = try await subscriber.prices()
      #expect(prices == [5999, 999, 999, 999])
    }
  }

  @Test(
    "SUB-8: a question that may be declined without an end stays open in a planned pause, and is charged as answered")
  func pause() async throws {
    try await Self.subscribed { subscriber, _ in
      let core = subscriber.shopper.store.core
      #expect(try await core.subscriptions.pause(months: 1, of: subscriber.key))
      let outcome = try await subscriber.reprice(to: 1599, on: RenewalPriceTerms(keepsPriceWithoutConsent: true))
      #expect(outcome == .asked)
      try await subscriber.pass(to: try #require("03-01".midnight))
      #expect(try await subscriber.answer(accepts: true, at: 1599))
      try await subscriber.pass(to: try #require("03-12".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [1599])
    }
  }

  @Test("SUB-1: while a question may be declined without an end, the renewal is charged an hour before the period")
  func early() async throws {
    try await Self.subscribed { subscriber, _ in
      try await subscriber.pass(days: 10)
      _ = try await subscriber.reprice(to: 1599, on: RenewalPriceTerms(keepsPriceWithoutConsent: true))
      try await subscriber.pass(to: try #require("02-10".midnight) - 3000)
      let prices = try await subscriber.prices()
      #expect(prices == [999])
      let machine = try await subscriber.machine()
      #expect(!machine.isAskedAboutPrice && machine.nextPrice?.minorUnits == 999)
    }
  }

  @Test("SUB-8: a subscription that began after a price was set keeps the price of its page")
  func laterPurchase() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let core = shopper.store.core
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 1099]), of: TestShop.app.id)
      _ = try await core.subscriptions.reprice("basic", of: TestShop.app.id)
      shopper.store.advance(by: .seconds(86_400))
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 899]), of: TestShop.app.id)
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(to: try #require("03-15".midnight))
      let prices = try await subscriber.prices()
      #expect(prices == [899, 899])
      let kinds = try await subscriber.kinds()
      #expect(kinds.isEmpty)
    }
  }

  @Test("SUB-8: the question about such a price is complete in every language", arguments: Language.allCases)
  func languages(language: Language) async throws {
    try await MessageShop.subscribed(to: "basic", language: language.rawValue) { subscriber, inbox in
      _ = try await subscriber.reprice(to: 1599, on: RenewalPriceTerms(keepsPriceWithoutConsent: true))
      try await subscriber.shopper.store.core.deliverOutbox()
      let text = try #require(inbox.notices.first?.text)
      #expect(text.contains("15") && !text.contains("{") && !text.contains("notice"), "\(text)")
    }
  }

  @Test("SUB-8: the rules `never` ask about a rise from 0 alone, the rules `always` about every rise")
  func rules() {
    func needsConsent(_ rules: PriceRiseRules, from old: Int64, to new: Int64) -> Bool {
      rules.needsConsent(
        from: Money(minorUnits: old, currency: .eur), to: Money(minorUnits: new, currency: .eur), period: .oneMonth,
        isFirst: true)
    }
    #expect(!needsConsent(.never, from: 999, to: 9_999) && needsConsent(.never, from: 0, to: 1))
    #expect(needsConsent(.always, from: 999, to: 1_000) && !needsConsent(.always, from: 999, to: 998))
  }
}

extension Subscriber {
  fileprivate func prices() async throws -> [Int64] { try await renewals().map(\.price.minorUnits) }

  fileprivate func answers() async throws -> [PriceChange.Answer?] {
    try await shopper.store.core.dependencies.database.read { [key] in
      try PriceChangeRecords.changes(of: key, in: $0).map(\.answer)
    }
  }
}
