import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StorePayments
@testable import StoreSales

/// A store that has changed its provider.
@Suite("Payments of an earlier provider", .timeLimit(.minutes(5)))
struct EarlierProviderTests {
  @Test("are refunded there, while new ones go to the new provider; its saved methods pay no more")
  func refund() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let first = try await TestStore(in: folder, clock: clock)
    try await first.shop { shopper in
      let order = try await shopper.buy("coins")
      try await first.save(.succeeds, of: shopper.accountID)
      let bank = Bank(clock: clock)
      let second = try await TestStore(
        in: folder, clock: clock, seed: 2,
        providers: [{ _ in BankPaymentProvider(bank: bank) }, { SandboxPaymentProvider($0) }])
      try await second.core.orders.refund(order.id.uuid, because: .refund)
      try await second.core.deliverOutbox()
      #expect(bank.calls == 0)
      let bookFaults = try await second.bookFaults()
      #expect(bookFaults == [])
      let next = try await shopper.order("coins")
      let token = try #require(next.paymentURL?.lastPathComponent)
      let savedMethods = try await second.core.payments.page(token)?.savedMethods
      #expect(savedMethods == [])
      let saved = try #require(try await second.core.payments.methods(of: shopper.accountID).first)
      let outcome = try await second.core.payments.pay(token, with: .saved(saved.id), shownPrice: next.price.money)
      #expect(outcome == .unknownMethod)
    }
  }
}
