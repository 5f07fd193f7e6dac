import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// A provider that the store has never heard of works by its folder alone.
@Suite("A third payment provider", .timeLimit(.minutes(5)))
struct BankProviderTests {
  @Test("SEC-2: puts its fields and its script on the payment page, which allows these and nothing more")
  func checkoutPart() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let order = try await bank.shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path)
      #expect(browser.page.all("option").compactMap { $0["value"] } == ["north", "south"])
      #expect(browser.html.contains("Your &lt;bank&gt;") && browser.html.contains("Bank transfer"))
      #expect(browser.page.all("details").isEmpty)
      let policy = try #require(browser.response?.headers[.contentSecurityPolicy])
      #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'; img-src"))
      #expect(policy.contains("form-action 'self' https://bank.example;"))
      #expect(!policy.contains("frame-src") && !policy.contains("connect-src") && !policy.contains("unsafe"))
      let script = try #require(browser.page.all("script").first?["src"])
      try await browser.get(script)
      #expect(browser.html == BankPaymentProvider.script.text)
      #expect(browser.response?.headers[.contentType] == "text/javascript; charset=utf-8")
    }
  }

  @Test("sends the buyer to its own page; whoever comes back from there has paid only if the bank says so")
  func redirect() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let order = try await bank.shop.order(client, tokens: tokens)
      let browser = Browser(client)
      let transfer = try await bank.goToBank(browser, order: order.path)
      let back = order.path + "/return"
      #expect(browser.leftFor?.hasPrefix("https://bank.example/approve?") == true)
      #expect(browser.leftFor?.contains(back) == true)
      try await browser.get(back + "?status=paid")
      let state = try await bank.shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .open)
      bank.bank.decide(transfer, approves: true)
      try await browser.get(back)
      #expect(browser.path.hasPrefix("/receipt/"))
      let secondState = try await bank.shop.state(client, tokens: tokens, id: order.id).state
      #expect(secondState == .paid)
      let ledger = try await bank.store.ledger(order.id)
      #expect(ledger.contains { $0.kind == "sale" && $0.debit == "provider:bank" })
      let bookFaults = try await bank.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a transfer that was refused leaves the order open, with the reason on record")
  func refused() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let order = try await bank.shop.order(client, tokens: tokens)
      let browser = Browser(client)
      bank.bank.decide(try await bank.goToBank(browser, order: order.path), approves: false)
      try await browser.get(order.path + "/return")
      let state = try await bank.shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .open)
      try await browser.get(order.path)
      try await browser.submit(order.path, with: ["method": "card_transfer", "provider_bank": ""])
      #expect(browser.page.element(id: "method-error") != nil)
      let declines = try await bank.store.declines()
      #expect(declines == [.later, .askBuyer])
    }
  }

  @Test(
    "a transfer of an order that is given up, or of an earlier try, is cancelled there; one that was paid goes back")
  func abandoned() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let order = try await bank.shop.order(client, tokens: tokens)
      let browser = Browser(client)
      let first = try await bank.goToBank(browser, order: order.path)
      let second = try await bank.goToBank(browser, order: order.path)
      try await bank.store.core.deliverOutbox()
      let earlier = try bank.bank.charge(first)
      #expect(earlier?.state == .cancelled)
      let latest = try bank.bank.charge(second)
      #expect(latest?.state == .waiting)
      try await browser.get(order.path)
      try await browser.submit(order.path + "/cancel")
      bank.bank.fail(1)
      for _ in 0..<2 {
        try await bank.store.core.deliverOutbox()
        bank.store.advance(by: .seconds(60))
      }
      let state = try bank.bank.charge(second)?.state
      #expect(state == .cancelled)
      let other = try await bank.shop.order(client, tokens: tokens)
      let paid = try await bank.goToBank(browser, order: other.path)
      try await browser.get(other.path)
      try await browser.submit(other.path + "/cancel")
      bank.bank.decide(paid, approves: true)
      for _ in 0..<2 { try await bank.store.core.deliverOutbox() }
      let charge = try bank.bank.charge(paid)
      #expect(charge?.refunded == charge?.amount)
      let secondState = try await bank.shop.state(client, tokens: tokens, id: other.id).state
      #expect(secondState == .cancelled)
      let waiting = try await bank.store.core.outboxStatus().waiting
      #expect(waiting == 0)
      let bookFaults = try await bank.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a transfer that was refused, and whose order is given up, is cancelled once: the bank has ended it already")
  func refusedAndAbandoned() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let order = try await bank.shop.order(client, tokens: tokens)
      let browser = Browser(client)
      bank.bank.decide(try await bank.goToBank(browser, order: order.path), approves: false)
      try await browser.get(order.path + "/return")
      try await browser.get(order.path)
      try await browser.submit(order.path + "/cancel")
      try await bank.store.core.deliverOutbox()
      let state = try await bank.shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .cancelled)
      let waiting = try await bank.store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
  }

  @Test("its notices are answered before they are looked up; repeated or in the wrong order, the bank's state counts")
  func notices() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let order = try await bank.shop.order(client, tokens: tokens)
      let transfer = try await bank.goToBank(Browser(client), order: order.path)
      bank.bank.decide(transfer, approves: false)
      bank.bank.decide(transfer, approves: true)
      let notes = Array(bank.bank.notes.reversed())
      let answers = try await bank.tell(notes, secret: "guess", with: client)
      #expect(answers == .unauthorized)
      bank.bank.fail(2)
      let secondAnswers = try await bank.tell(notes, with: client)
      #expect(secondAnswers == .noContent)
      let state = try await bank.shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .open)
      let thirdAnswers = try await bank.tell(notes, with: client)
      #expect(thirdAnswers == .noContent)
      for _ in 0..<2 {
        try await bank.store.core.deliverOutbox()
        bank.store.advance(by: .seconds(60))
      }
      let secondState = try await bank.shop.state(client, tokens: tokens, id: order.id).state
      #expect(secondState == .paid)
      let ledgerCount = try await bank.store.ledger(order.id).count
      #expect(ledgerCount == 2)
      let waiting = try await bank.store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
  }

  @Test("an event that is too long, and one of a provider that the store does not have, are refused")
  func refusedEvents() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let long = Bank.Note(id: String(repeating: "a", count: 1024), subject: "charge:a", date: .distantPast)
      let answers = try await bank.tell([long], with: client)
      #expect(answers == .contentTooLarge)
      let unknown = try await client.execute(
        uri: Route.providerEvents.path("stranger"), method: .post, body: ByteBuffer(string: "{}")
      ) { $0.status }
      #expect(unknown == .notFound)
    }
  }

  @Test("what it told and the store did not hear is taken in by the daily sweep, once")
  func sweep() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let order = try await bank.shop.order(client, tokens: tokens)
      let (core, provider) = (bank.store.core, bank.store.core.providers.active)
      let sweep = ProviderEventSweep(
        events: core.providerEvents, providers: core.providers, dependencies: core.dependencies.base)
      let outcome = try await sweep.sweepIfDue(provider)
      #expect(outcome == nil)
      let transfer = try await bank.goToBank(Browser(client), order: order.path)
      for _ in 0..<3 { bank.bank.decide(transfer, approves: true) }
      bank.store.advance(by: .seconds(86_400))
      let secondOutcome = try await sweep.sweepIfDue(provider)
      #expect(secondOutcome == 3)
      let thirdOutcome = try await sweep.sweepIfDue(provider)
      #expect(thirdOutcome == nil)
      try await core.deliverOutbox()
      // The app's access token is too old by now.
      let kinds = try await bank.store.ledger(order.id).map(\.kind)
      #expect(kinds.contains("sale"))
      bank.store.advance(by: .seconds(86_400))
      let fourthOutcome = try await sweep.sweepIfDue(provider)
      #expect(fourthOutcome == 0)
    }
  }
}

extension TestStore {
  func bookFaults() async throws -> [Reconciliation.Fault] {
    try await core.dependencies.database.read { try Reconciliation($0).faults() }
  }

  /// Why payments were declined, the oldest first.
  func declines() async throws -> [DeclineReason] {
    try await core.dependencies.database.read { connection in
      try connection.rows("SELECT decline FROM payments WHERE decline IS NOT NULL ORDER BY created_at, id")
        .map { DeclineReason(rawValue: try $0.text("decline")) }
    }
  }
}
