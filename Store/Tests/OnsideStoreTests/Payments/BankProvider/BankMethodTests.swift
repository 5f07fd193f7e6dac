import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Saved methods of another kind than cards.
@Suite("A third payment provider's methods", .timeLimit(.minutes(5)))
struct BankMethodTests {
  @Test("are saved on a page of the provider's own, which has its own content security policy")
  func setup() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let path = try await bank.shop.methodsPage(client, tokens: tokens)
      let page = String(path.prefix { $0 != "?" })
      let browser = Browser(client)
      try await bank.shop.login.logIn(browser)
      try await browser.get(path)
      try await browser.submit(page, with: ["card": "transfer", "do": "add"])
      #expect(browser.path.hasPrefix(page + "/setup") && browser.html.contains("Mandate md-"))
      let policy = browser.response?.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.contains("frame-src https://bank.example; connect-src https://bank.example;"))
      let methods = try await bank.methods(tokens)
      #expect(methods.isEmpty)
      try await browser.submit(page + "/setup", with: ["provider_agreed": "1"])
      #expect(browser.path.hasPrefix(page) && browser.html.contains("Example Bank"))
      let saved = try #require(try await bank.methods(tokens).first)
      #expect(saved.provider == "bank" && saved.details.brand == "SEPA" && saved.details.lastFour == "0300")
      try await browser.get(page + "/setup")
      let secondMethods = try await bank.methods(tokens)
      #expect(secondMethods == [saved])
    }
  }

  @Test("are saved with a payment, pay again without the bank's page, and are forgotten there when they are removed")
  func remembered() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let (first, second) = (
        try await bank.shop.order(client, tokens: tokens), try await bank.shop.order(client, tokens: tokens)
      )
      let browser = Browser(client)
      try await bank.shop.login.logIn(browser)
      let transfer = try await bank.goToBank(browser, order: first.path, remembers: true)
      let methods = try await bank.methods(tokens)
      #expect(methods.isEmpty)
      bank.bank.decide(transfer, approves: true)
      try await browser.get(first.path + "/return")
      let answers = try await bank.tell(bank.bank.notes, with: client)
      #expect(answers == .noContent)
      try await bank.store.core.deliverOutbox()
      let saved = try #require(try await bank.methods(tokens).first)
      let methodCount = try await bank.methods(tokens).count
      #expect(methodCount == 1)
      try await browser.get(second.path)
      try await browser.submit(second.path, with: ["method": "saved_\(saved.id)"])
      let state = try await bank.shop.state(client, tokens: tokens, id: second.id).state
      #expect(state == .paid)
      #expect(try await bank.store.core.payments.remove(saved.id, of: bank.store.account(of: tokens).description))
      bank.bank.fail(1)
      for _ in 0..<2 {
        try await bank.store.core.deliverOutbox()
        bank.store.advance(by: .seconds(60))
      }
      #expect(bank.bank.removed == [saved.details.reference])
    }
  }

  @Test("follow what the provider tells of them: new details, and that they are gone")
  func events() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      let details = BankPaymentProvider.details("md-1")
      bank.bank.giveMandate("md-1", to: bank.store.account(of: tokens).description)
      try await bank.store.core.dependencies.database.write(at: bank.store.clock.now()) { transaction in
        for provider in ["bank", "other"] {
          try PaymentMethodRecords.record(
            details, of: provider, id: "\(provider)-1", for: bank.store.account(of: tokens).description, in: transaction
          )
        }
      }
      bank.bank.renumber("md-1")
      let answers = try await bank.tell(bank.bank.notes, with: client)
      #expect(answers == .noContent)
      try await bank.store.core.deliverOutbox()
      let digits = try await bank.methods(tokens).sorted { $0.id < $1.id }.map(\.details.lastFour)
      #expect(digits == ["9999", "0300"])
      bank.bank.end("md-1")
      let secondAnswers = try await bank.tell(bank.bank.notes, with: client)
      #expect(secondAnswers == .noContent)
      try await bank.store.core.deliverOutbox()
      let providers = try await bank.methods(tokens).map(\.provider)
      #expect(providers == ["other"])
    }
  }

  @Test("are saved without a limit of their number, each once")
  func many() async throws {
    let bank = try await BankStore()
    let account = try await bank.store.account()
    try await bank.store.core.dependencies.database.write(at: bank.store.clock.now()) { transaction in
      for number in Array(1...25) + [25] {
        try PaymentMethodRecords.record(
          BankPaymentProvider.details("md-\(number)"), of: "bank", id: bank.store.freshID().lowercase, for: account,
          in: transaction)
      }
    }
    let methodCount = try await bank.store.core.payments.methods(of: account).count
    #expect(methodCount == 25)
  }

  @Test("are forgotten at the provider when their account is removed")
  func removedAccount() async throws {
    let bank = try await BankStore()
    try await bank.shop.test { client in
      let tokens = try await bank.shop.login.tokens(client)
      try await bank.store.core.dependencies.database.write(at: bank.store.clock.now()) { transaction in
        try PaymentMethodRecords.record(
          BankPaymentProvider.details("md-1"), of: "bank", id: "1", for: bank.store.account(of: tokens).description,
          in: transaction)
      }
      let removal = AccountRemoval(
        orders: bank.store.core.orders.records, cancellation: bank.store.core.orders.cancellation,
        renewals: bank.store.core.orders.renewals, environment: .sandbox,
        random: bank.store.core.dependencies.random,
        methods: MethodRemovals(providers: bank.store.core.providers, environment: .sandbox))
      let removed = try await bank.store.core.dependencies.database.write(at: bank.store.clock.now()) {
        try removal.remove(bank.store.account(of: tokens), in: $0)
      }
      #expect(removed)
      try await bank.store.core.deliverOutbox()
      #expect(bank.bank.removed == ["md-1"])
    }
  }

  @Test("an off-session charge of a mandate pays without a page; of one that is gone it is declined for good")
  func offSession() async throws {
    let bank = try await BankStore()
    bank.bank.giveMandate("md-1", to: "account")
    let payment = Payment(
      id: "p-1", orderID: bank.store.freshID(), provider: "bank", method: "md-1", isSaved: true,
      amount: Money(minorUnits: 999, currency: .eur), state: .started)
    let request = ChargeRequest(payment, account: "account", environment: .sandbox)
    for _ in 0..<2 {
      guard case .known(let charge) = try await bank.store.core.providers.active.chargeOffSession(request) else {
        Issue.record("expected what the bank has")
        return
      }
      #expect(charge.state == .succeeded && charge.reference == "tr-1:p-1")
    }
    bank.bank.end("md-1")
    guard case .known(let charge) = try await bank.store.core.providers.active.chargeOffSession(request) else {
      Issue.record("expected what the bank has")
      return
    }
    #expect(charge.state == .declined(.never))
  }
}
