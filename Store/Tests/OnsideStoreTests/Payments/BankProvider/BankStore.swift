import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import StoreBaseTestSupport

@testable import OnsideStore
@testable import StorePayments
@testable import StoreSales

/// A store whose payments go through the bank.
struct BankStore {
  let bank: Bank
  let shop: ShopStore
  var store: TestStore { shop.store }

  /// - Parameter others: providers of earlier payments.
  init(others: [PaymentProviderFactory] = []) async throws {
    let clock = ManualClock()
    let bank = Bank(clock: clock)
    self.bank = bank
    shop = try await ShopStore(clock: clock, providers: [{ _ in BankPaymentProvider(bank: bank) }] + others)
  }

  /// Pays by transfer and comes to the bank; returns the transfer's id.
  func goToBank(_ browser: Browser, order path: String, remembers: Bool = false) async throws -> String {
    try await browser.get(path)
    var fields = ["method": "card_transfer", "provider_bank": "north"]
    if remembers { fields["remember"] = "1" }
    try await browser.submit(path, with: fields)
    let address = browser.leftFor.flatMap { URLComponents(string: $0) }
    return address?.queryItems?.first { $0.name == "transfer" }?.value ?? ""
  }

  /// The bank tells the store what it has noted.
  func tell(
    _ notes: [Bank.Note], secret: String = BankPaymentProvider.secret, with client: any TestClientProtocol
  ) async throws -> HTTPResponse.Status {
    let body = notes.map { "\($0.id) \($0.subject)" }.joined(separator: "\n")
    return try await client.execute(
      uri: Route.providerEvents.path("bank"), method: .post, headers: [.bankToken: secret],
      body: ByteBuffer(string: body)
    ) { $0.status }
  }

  func methods(_ tokens: TokenMessage) async throws -> [SavedPaymentMethod] {
    try await store.core.payments.methods(of: store.account(of: tokens).description)
  }
}
