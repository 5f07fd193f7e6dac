import DeterministicRandom
import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("Values for pages", .timeLimit(.minutes(5)))
struct PageValueTests {
  /// What a page reads of a transaction.
  private struct Read: Decodable, Hashable {
    struct Price: Decodable, Hashable {
      var value: Decimal
      var currencyCode, formatted: String
    }
    struct Period: Decodable, Hashable {
      var unit: String
      var numberOfUnits: UInt
    }
    struct Offer: Decodable, Hashable {
      var price: Price
      var period: Period
      var paymentMode: String
      var numberOfPeriods: Int
    }
    struct Product: Decodable, Hashable {
      var productIdentifier, localizedTitle, localizedDescription: String
      var iconUrl: URL?
      var subscriptionGroupIdentifier: String?
      var subscriptionPeriod: Period?
      var price: Price
      var introductoryPrice, discountedPrice: Offer?
      var productType: String
    }
    struct Payment: Decodable, Hashable {
      var product: Product
      var appAccountToken: String?
      var quantity: Int
    }
    var id: UUID
    var transactionIdentifier, originalTransactionIdentifier: String?
    var payment: Payment
    var transactionState: OnsidePaymentTransactionState
    var storefront: OnsideStorefront
    var error: OnsidePaymentTransactionError?
    var deliveryReason: String
  }

  /// Characters of every kind that escapes know.
  private static let characters: [Unicode.Scalar] =
    (0..<0x80).map { Unicode.Scalar($0) } + ["é", "\u{7F}", "\u{2028}", "\u{FFFD}", "\u{FEFF}", "😀", "\u{10FFFF}"]

  private struct Maker {
    var random: SeededRandom

    mutating func text() -> String {
      let length = Int.random(in: 0...6, using: &random)
      let scalars = (0..<length).compactMap { _ in PageValueTests.characters.randomElement(using: &random) }
      return String(String.UnicodeScalarView(scalars))
    }

    mutating func maybe<Value>(_ make: (inout Maker) -> Value) -> Value? {
      Bool.random(using: &random) ? make(&self) : nil
    }

    mutating func price() -> OnsidePrice {
      let amounts: [Int64] = [0, 1, 9, 10, 99, 499, 100_000, -1, -1234, .max, .min]
      let currency = ["EUR", "JPY", "KWD"].randomElement(using: &random).flatMap(Currency.init(code:)) ?? .eur
      return OnsidePrice(
        money: Money(minorUnits: amounts.randomElement(using: &random) ?? 0, currency: currency), formatted: text())
    }

    mutating func period() -> OnsidePeriod {
      [.day(1), .week(2), .month(.max), .year(0)].randomElement(using: &random) ?? .day(1)
    }

    mutating func offer() -> OnsidePricePeriod {
      OnsidePricePeriod(price: price(), period: period(), paymentMode: .init(rawValue: text()), numberOfPeriods: 3)
    }

    mutating func transaction() -> OnsidePaymentTransaction {
      var payment = OnsidePayment(
        product: OnsideProduct(
          productIdentifier: text(), localizedTitle: text(), localizedDescription: text(),
          iconUrl: maybe { _ in URL(string: "https://lumen.example/a%22b/c?d=e&f") }.flatMap { $0 },
          subscriptionGroupIdentifier: maybe { $0.text() }, subscriptionPeriod: maybe { $0.period() }, price: price(),
          introductoryPrice: maybe { $0.offer() }, discountedPrice: maybe { $0.offer() },
          productType: .init(rawValue: text())))
      payment.appAccountToken = maybe { $0.text() }
      payment.quantity = [1, 3, 1000].randomElement(using: &random) ?? 1
      return OnsidePaymentTransaction(
        id: UUID(), transactionIdentifier: maybe { $0.text() }, originalTransactionIdentifier: maybe { $0.text() },
        payment: payment, transactionState: Bool.random(using: &random) ? .purchased : .failed,
        storefront: OnsideStorefront(id: text(), countryCode: text()),
        error: maybe { Bool.random(using: &$0.random) ? .cancelled : .presentationFailed },
        deliveryReason: .init(rawValue: text()), date: .distantPast)
    }
  }

  private func read(_ price: OnsidePrice) -> Read.Price {
    Read.Price(value: price.decimalValue, currencyCode: price.currencyCode, formatted: price.formatted)
  }

  private func read(_ period: OnsidePeriod) -> Read.Period {
    switch period {
    case .day(let count): Read.Period(unit: "day", numberOfUnits: count)
    case .week(let count): Read.Period(unit: "week", numberOfUnits: count)
    case .month(let count): Read.Period(unit: "month", numberOfUnits: count)
    case .year(let count): Read.Period(unit: "year", numberOfUnits: count)
    }
  }

  private func read(_ offer: OnsidePricePeriod) -> Read.Offer {
    Read.Offer(
      price: read(offer.price), period: read(offer.period), paymentMode: offer.paymentMode.rawValue,
      numberOfPeriods: offer.numberOfPeriods)
  }

  private func read(_ product: OnsideProduct) -> Read.Product {
    Read.Product(
      productIdentifier: product.productIdentifier, localizedTitle: product.localizedTitle,
      localizedDescription: product.localizedDescription, iconUrl: product.iconUrl,
      subscriptionGroupIdentifier: product.subscriptionGroupIdentifier,
      subscriptionPeriod: product.subscriptionPeriod.map(read), price: read(product.price),
      introductoryPrice: product.introductoryPrice.map(read), discountedPrice: product.discountedPrice.map(read),
      productType: product.productType.rawValue)
  }

  private func read(_ one: OnsidePaymentTransaction) -> Read {
    Read(
      id: one.id, transactionIdentifier: one.transactionIdentifier,
      originalTransactionIdentifier: one.originalTransactionIdentifier,
      payment: .init(
        product: read(one.payment.product), appAccountToken: one.payment.appAccountToken,
        quantity: one.payment.quantity),
      transactionState: one.transactionState, storefront: one.storefront, error: one.error,
      deliveryReason: one.deliveryReason.rawValue)
  }

  @Test("JSB-9: random transactions are read as they are, none of their characters lost")
  func transactions() throws {
    for seed in 1...200 {
      var maker = Maker(random: SeededRandom(seed: UInt64(seed)))
      let transactions = (0..<3).map { _ in maker.transaction() }
      let text = try JSONText(transactions.map(JSPaymentTransaction.init)).text
      let back = try JSONDecoder().decode([Read].self, from: Data(text.utf8))
      #expect(back == transactions.map(read), "seed \(seed): \(text)")
    }
  }
}
