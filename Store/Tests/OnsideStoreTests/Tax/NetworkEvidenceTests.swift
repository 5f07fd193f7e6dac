import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

/// The country of the buyer's network, as the operator's proxy says it.
@Suite("The network as evidence of where a buyer is", .timeLimit(.minutes(5)))
struct NetworkEvidenceTests {
  /// Pays on the page with what a proxy has set; returns how the order was taxed.
  private func paid(_ shopper: Shopper, header: String?, card: String = "card_succeeds") async throws -> OrderTax {
    let order = try await shopper.order("coins")
    let browser = Browser(shopper.client)
    browser.headers[try #require(HTTPField.Name("X-Country"))] = header
    let path = try #require(order.paymentURL?.path())
    try await browser.get(path)
    try await browser.submit(path, with: ["method": card])
    try await shopper.store.settle()
    return try #require(try await shopper.store.core.tax.tax(of: order.id.uuid))
  }

  private func run(header: String?, _ body: @escaping @Sendable (Shopper) async throws -> Void) async throws {
    let store = try await TestStore { $0.tax.countryHeader = header }
    try await store.shop(body)
  }

  @Test("is kept with the sale, also of a payment whose money comes later")
  func kept() async throws {
    try await run(header: "x-country") { shopper in
      for card in ["card_succeeds", "card_settles_later"] {
        let tax = try await paid(shopper, header: "NL", card: card)
        #expect(tax.evidence.network == .netherlands)
      }
      let german = try await paid(shopper, header: "de")
      #expect(german.evidence.network?.alpha2 == "DE")
    }
  }

  @Test("is not known when the proxy says something else than one country")
  func unreadable() async throws {
    try await run(header: "X-Country") { shopper in
      for header in [nil, "", "NLD", "XX", "T1", "NL, DE", "Netherlands", "ẞ"] {
        let tax = try await paid(shopper, header: header)
        #expect(tax.evidence.network == nil, "\(header ?? "none")")
      }
    }
  }

  @Test("is not read unless the configuration names its header field")
  func unconfigured() async throws {
    try await run(header: nil) { shopper in
      let tax = try await paid(shopper, header: "NL")
      #expect(tax.evidence.network == nil)
    }
  }

  @Test("agrees with the country of the number: then the evidence is not weak any more")
  func agrees() async throws {
    try await run(header: "X-Country") { shopper in
      let account = shopper.accountID
      try await shopper.store.core.dependencies.database.write { connection in
        try connection.execute(
          "INSERT INTO identities(contact, account_id, verified_at) VALUES ('+31612345678', $1, 0)", [.text(account)])
      }
      for (header, isWeak) in [("NL", false), ("DE", true)] {
        let tax = try await paid(shopper, header: header)
        #expect(tax.evidence.number == .netherlands && tax.evidence.isWeak(for: tax.country) == isWeak)
      }
      let marks = try await shopper.store.core.dependencies.database.read {
        try $0.rows("SELECT is_weak FROM order_taxes ORDER BY network_country").map { try $0.bool("is_weak") }
      }
      #expect(marks == [true, false])
    }
  }

  @Test("needs a proxy in front of the store, which sets its header field")
  func configuration() throws {
    let name = "ONSIDE_TAX_COUNTRY_HEADER"
    let behind = try ServeConfiguration(file: nil, environment: [name: "X-Country", "ONSIDE_BEHIND_PROXY": "true"])
    #expect(behind.store.tax.countryHeader == "X-Country")
    try behind.check()
    let open = try ServeConfiguration(file: nil, environment: [name: "X-Country"])
    do {
      try open.check()
      Issue.record("expected that it is refused")
    } catch {
      #expect("\(error)".hasPrefix("behind_proxy is needed: "))
    }
    #expect(throws: ConfigurationError.self) { try ServeConfiguration(file: nil, environment: [name: "X Country"]) }
  }
}
