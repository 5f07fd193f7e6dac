import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct ProductMappingTests {
  @Test(
    "PRD-6: prices are exact in currencies with none to four decimal places",
    arguments: [
      ("EUR", 499, "4.99", 4.99), ("JPY", 499, "499", 499.0), ("KWD", 1234, "1.234", 1.234),
      ("CLF", 12_345, "1.2345", 1.2345), ("USD", 1, "0.01", 0.01),
      ("EUR", 9_007_199_254_740_993, "90071992547409.93", 90071992547409.93),
    ])
  func prices(code: String, amount: Int64, decimal: String, value: Double) throws {
    let currency = try #require(Currency(code: code))
    let price = OnsideProduct(.named("a", amount: amount, currency: currency, text: "the store's text")).price
    #expect(price.money == Money(minorUnits: amount, currency: currency))
    #expect(price.decimalValue == Decimal(string: decimal))
    #expect(price.value == value)
    #expect(price.currencyCode == code)
    #expect(price.formatted == "the store's text")
  }

  @Test("PRD-9: offers carry price, period, payment mode and number of periods")
  func offers() throws {
    var message = ProductMessage.named("club")
    message.kind = .autoRenewableSubscription
    message.subscriptionGroupID = "g"
    message.subscriptionPeriod = .oneMonth
    let free = PriceMessage(.zero(.eur), formatted: "€ 0,00")
    let half = PriceMessage(Money(minorUnits: 250, currency: .eur), formatted: "€ 2,50")
    message.offers = [
      OfferMessage(id: "p", kind: .promotional, mode: .payAsYouGo, period: .oneMonth, periodCount: 3, price: half),
      OfferMessage(id: "i", kind: .introductory, mode: .freeTrial, period: .oneWeek, periodCount: 1, price: free),
    ]
    let product = OnsideProduct(message)
    #expect(product.subscriptionPeriod == .month(1) && product.subscriptionGroupIdentifier == "g")
    #expect(product.introductoryPrice?.price.value == 0 && product.introductoryPrice?.period == .week(1))
    #expect(product.introductoryPrice?.paymentMode == .freeTrial)
    // A purchase without an offer is not charged the promotional price.
    #expect(product.discountedPrice == nil)
    let promotional = try #require(product.offers.first?.terms)
    #expect(promotional.price.money.minorUnits == 250)
    #expect(promotional.paymentMode == .payAsYouGo && promotional.numberOfPeriods == 3)
    #expect(product.productType == .autoRenewableSubscription)
    #expect(
      product.offers.map(\.offerIdentifier) == ["p", "i"]
        && product.offers.map(\.kind) == [.promotional, .introductory])
    #expect(product.offers.last?.terms == product.introductoryPrice)
    let copy = try JSONDecoder().decode(OnsideProduct.self, from: JSONEncoder().encode(product))
    #expect(copy == product)
  }

  @Test("PRD-12: a product that an earlier version wrote has no offers; a group's offers are in its status")
  func earlier() throws {
    let written = try JSONEncoder().encode(OnsideProduct(.named("coins")))
    let text = String(decoding: written, as: UTF8.self)
    let part = try #require([#""offers":[],"#, #","offers":[]"#].first { text.contains($0) })
    let earlier = Data(text.replacing(part, with: "").utf8)
    let read = try JSONDecoder().decode(OnsideProduct.self, from: earlier)
    #expect(read == OnsideProduct(.named("coins")))
    var message = SubscriptionMessage(groupID: "g", state: .expired, willRenew: false)
    #expect(OnsideSubscriptionStatus(message).offers.isEmpty)
    message.offers = [AvailableOfferMessage(productID: "pro", id: "back")]
    #expect(
      OnsideSubscriptionStatus(message).offers
        == [OnsideAvailableOffer(productIdentifier: "pro", offerIdentifier: "back")])
  }

  @Test("A one-time product has no subscription and no offers")
  func oneTime() {
    let product = OnsideProduct(.named("coins"))
    #expect(product.subscriptionPeriod == nil && product.introductoryPrice == nil && product.discountedPrice == nil)
    #expect("\(product)" == "coins (Coins, € 4,99)")
  }
}
