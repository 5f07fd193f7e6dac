import Foundation
import OnsideCommerce
import Testing

/// The cases 60 to 63 and 67 of the rules for subscriptions.
@Suite(.timeLimit(.minutes(5))) struct PriceRiseRulesTests {
  private static func asks(
    _ old: Int64, _ new: Int64, _ period: Period = .oneMonth, isFirst: Bool = true, in currency: Currency = .eur
  ) -> Bool {
    PriceRiseRules.standard.needsConsent(
      from: Money(minorUnits: old, currency: currency), to: Money(minorUnits: new, currency: currency), period: period,
      isFirst: isFirst)
  }

  @Test("SUB-8: a rise needs consent above an amount and above half of the price, and every second one within a year")
  func thresholds() throws {
    #expect(!Self.asks(999, 1499))
    #expect(Self.asks(999, 1599))
    #expect(!Self.asks(199, 399))
    #expect(!Self.asks(2000, 2600))
    #expect(!Self.asks(9999, 14999, .oneYear))
    #expect(Self.asks(9999, 15999, .oneYear))
    #expect(Self.asks(9999, 15999, try #require(Period(unit: .month, count: 6))))
    #expect(Self.asks(999, 1000, isFirst: false))
    #expect(!Self.asks(999, 998, isFirst: false))
    #expect(!Self.asks(999, 999))
  }

  @Test("SUB-8: in a currency without amounts the share of the price decides; another currency needs consent")
  func currencies() throws {
    let franc = try #require(Currency(code: "XPF"))
    #expect(Self.asks(100, 151, in: franc))
    #expect(!Self.asks(100, 150, in: franc))
    let rules = PriceRiseRules.standard
    let (euro, dollar) = (
      Money(minorUnits: 999, currency: .eur), Money(minorUnits: 1, currency: try #require(Currency(code: "USD")))
    )
    #expect(rules.needsConsent(from: euro, to: dollar, period: .oneMonth, isFirst: true))
  }

  @Test("SUB-19: a rise from 0 needs consent, however small")
  func free() {
    #expect(Self.asks(0, 1))
    #expect(!Self.asks(0, 0))
  }

  @Test("SUB-8: no rise is too large to be judged")
  func large() {
    #expect(Self.asks(1, .max))
    #expect(!Self.asks(.max - 1, .max))
  }
}
