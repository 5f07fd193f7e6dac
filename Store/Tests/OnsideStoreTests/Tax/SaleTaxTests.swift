import Foundation
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

@Suite("Tax of sales", .timeLimit(.minutes(5)))
struct SaleTaxTests {
  /// A rate of a country from the beginning of time, or from a moment of a store's clock on.
  private func rate(_ country: String, _ points: Int64, day: String = "2000-01-01") throws -> TaxRate {
    try TaxRate(country: TestShop.country(country), basisPoints: points, firstDay: day, source: "test")
  }

  private func faults(_ store: TestStore) async throws -> [Reconciliation.Fault] {
    try await store.core.dependencies.database.read { try Reconciliation($0).faults() }
  }

  @Test("STO-3: the tax in the price is owed to the country, and the store's share is of what is left")
  func sale() async throws {
    let store = try await TestStore { $0.commissionBasisPoints = 1000 }
    try await store.core.tax.add([try rate("NL", 2100)])
    try await store.shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let entries = try await store.ledger(order.id)
      #expect(entries.map(\.kind) == ["commission", "sale", "tax"])
      #expect(entries.map(\.amount.minorUnits) == [41, 499, 87])
      #expect(entries[2].debit == "app:io.example.lumen" && entries[2].credit == "tax:NL")
      #expect(entries[2].basisPoints == 2100)
      let balances = try await store.balances()["app:io.example.lumen"]
      #expect(balances == -(499 - 87 - 41))
      let actualFaults = try await faults(store)
      #expect(actualFaults == [])
      try await store.core.orders.refund(order.id.uuid, because: .support)
      let values = try await store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
      let kindNames = try await store.ledger(order.id).map(\.kindName)
      #expect(kindNames.contains("tax_refund"))
      let secondFaults = try await faults(store)
      #expect(secondFaults == [])
    }
  }

  @Test("STO-3: a sale has the rate of its country and moment; without a known rate it has no tax")
  func byCountryAndTime() async throws {
    let store = try await TestStore()
    let now = store.clock.now()
    let tomorrow = now.addingTimeInterval(86_400).ISO8601Format().prefix(10)
    try await store.core.tax.add([
      try rate("NL", 2000), try rate("NL", 2100, day: String(tomorrow)), try rate("KW", 0), try rate("CL", 1900),
    ])
    try await store.openShop()
    try await store.test { client in
      func tax(_ country: String) async throws -> Int64? {
        let account = try await store.account(country: country)
        let order = try await Shopper(store: store, client: client, accountID: account, country: country).buy("coins")
        return try await store.ledger(order.id).first { $0.kind == "tax" }?.amount.minorUnits
      }
      // 0.99 EUR, 1.500 KWD, 1.2345 CLF, 120 JPY.
      let actualTax = try await tax("NL")
      #expect(actualTax == 17)
      let secondTax = try await tax("KW")
      #expect(secondTax == nil)
      let thirdTax = try await tax("CL")
      #expect(thirdTax == 1971)
      let fourthTax = try await tax("JP")
      #expect(fourthTax == nil)
      store.advance(by: .seconds(86_400))
      // 99 × 2100 ÷ 12100 is 17.18: the same in whole units, at another rate.
      let fifthTax = try await tax("NL")
      #expect(fifthTax == 17)
      let rates = try await store.core.dependencies.database.read {
        try $0.rows("SELECT basis_points FROM ledger WHERE credit = 'tax:NL' ORDER BY created_at")
      }
      let actualRates = try rates.map { try $0.integer("basis_points") }
      #expect(actualRates == [2000, 2100])
      let actualFaults = try await faults(store)
      #expect(actualFaults == [])
    }
  }

  @Test("STO-3: a rate that is corrected later does not change what is booked")
  func corrected() async throws {
    let store = try await TestStore()
    try await store.core.tax.add([try rate("NL", 2100)])
    try await store.shop { shopper in
      let order = try await shopper.buy("remove_ads")
      try await store.core.tax.add([try rate("NL", 900)])
      let basisPoints = try await store.core.tax.rates().map(\.basisPoints)
      #expect(basisPoints == [900])
      try await store.core.orders.refund(order.id.uuid, because: .support)
      let values = try await store.balances().values
      #expect(values.allSatisfy { $0 == 0 })
      let actualFaults = try await faults(store)
      #expect(actualFaults == [])
      let secondBasisPoints = try await store.core.tax.tax(of: order.id.uuid)?.basisPoints
      #expect(secondBasisPoints == 2100)
    }
  }

  @Test("The evidence of where a buyer is: weak until two pieces agree with the country of the sale")
  func evidence() throws {
    let (nl, de) = (try TestShop.country("NL"), try TestShop.country("DE"))
    for (number, card, isWeak) in [(nl, nl, false), (nl, nil, true), (nil, nil, true), (de, nl, true), (de, de, true)] {
      #expect(LocationEvidence(number: number, card: card).isWeak(for: nl) == isWeak)
      // Any two of three will do.
      #expect(LocationEvidence(card: card, network: number).isWeak(for: nl) == isWeak)
      #expect(LocationEvidence(number: card, network: number).isWeak(for: nl) == isWeak)
    }
    #expect(LocationEvidence(number: nl, card: de, network: nl).isWeak(for: nl) == false)
  }

  @Test("The country of the account's number is kept with the order, and marked when nothing agrees with it")
  func kept() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      let account = shopper.accountID
      try await store.core.dependencies.database.write { connection in
        try connection.execute(
          "INSERT INTO identities(contact, account_id, verified_at) VALUES ('+4915112345678', $1, 0)", [.text(account)])
      }
      let order = try await shopper.buy("coins")
      let tax = try #require(try await store.core.tax.tax(of: order.id.uuid))
      #expect(tax.country == .netherlands && tax.evidence.number?.alpha2 == "DE" && tax.basisPoints == nil)
      let row = try await store.core.dependencies.database.read { try $0.row("SELECT * FROM order_taxes") }
      let bool = try row?.bool("is_weak")
      #expect(bool == true)
    }
  }

  @Test("STO-3: the signed receipt and history name the tax, and are without the field when none was booked")
  func signed() async throws {
    let store = try await TestStore()
    try await store.core.tax.add([try rate("NL", 2100)])
    try await store.openShop()
    try await store.test { client in
      for (country, tax) in [("NL", 17), ("JP", nil)] as [(String, Int64?)] {
        let account = try await store.account(country: country)
        let shopper = Shopper(store: store, client: client, accountID: account, country: country)
        let order = try await shopper.buy("coins")
        for jws in [try #require(order.receipt), try await shopper.history()] {
          let purchase = try #require(try await shopper.verify(jws).transactions.first)
          #expect(purchase.tax?.minorUnits == tax && purchase.price == order.price.money)
          let payload = String(decoding: try #require(Base64URL.decode(jws.split(separator: ".")[1])), as: UTF8.self)
          #expect(payload.contains("\"tax_amount\":17,") == (tax != nil) && !payload.contains("tax_amount\":null"))
        }
      }
    }
  }

  @Test("The receipt shows the tax in the price, its rate, and the price without it")
  func receipt() async throws {
    let store = try await TestStore()
    try await store.core.tax.add([try rate("NL", 2100)])
    try await store.shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let token = store.core.orders.json.tokens.token(orderID: order.id.uuid)
      let html = String(buffer: try await shopper.get("/receipt/\(token)").body)
      for text in ["Price without tax", "4,12", "Tax (", "21%", "0,87"] {
        #expect(html.contains(text), "\(text)")
      }
    }
  }
}
