import Foundation
import OnsideCommerce
import Testing

/// The example files of the repository.
@Suite(.timeLimit(.minutes(5))) struct ExampleShopTests {
  private func example(_ name: String) throws -> Data {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try Data(contentsOf: root.appending(path: "Examples").appending(path: name))
  }

  private func shop() throws -> (file: StoreKitConfiguration, prices: PriceTable, catalogue: Catalogue) {
    let file = try StoreKitConfiguration.decode(example("Shop.storekit"), path: "Shop.storekit")
    let prices = try PriceTable.decode(example("Shop.prices.json"), path: "Shop.prices.json")
    return (file, prices, file.catalogue(prices: prices))
  }

  @Test("LOC-1: the example loads completely")
  func complete() throws {
    let (file, prices, catalogue) = try shop()
    #expect(file.ignored == [])
    #expect(file.settings.storefront == .netherlands)
    #expect(prices.unknownProducts(in: catalogue) == [])
    #expect(
      catalogue.products.map(\.id) == ["coins_100", "remove_ads", "season_pass", "pro_monthly", "pro_yearly"])
    #expect(
      catalogue.products.map(\.kind) == [
        .consumable, .nonConsumable, .nonRenewingSubscription, .autoRenewableSubscription, .autoRenewableSubscription,
      ])
    for product in catalogue.products {
      #expect(product.localizations.map(\.language) == ["de", "en-US", "es", "fr", "nl"])
    }
  }

  @Test("PRD-7: each country has its own prices, and what is not sold there is missing")
  func prices() throws {
    let catalogue = try shop().catalogue
    let japan = try #require(CountryCode(alpha2: "JP"))
    let kuwait = try #require(CountryCode(alpha2: "KW"))
    #expect(catalogue["season_pass"]?.price(in: japan) == nil)
    #expect(catalogue["remove_ads"]?.price(in: japan)?.formatted(country: japan, language: "en") == "¥800")
    #expect(
      catalogue["remove_ads"]?.price(in: kuwait)?.formatted(country: kuwait, language: "en") == "KWD\u{a0}1.500")
    for code in ["NL", "DE", "FR", "ES", "US", "GB", "KW"] {
      let country = try #require(CountryCode(alpha2: code))
      #expect(catalogue.select(catalogue.products.map(\.id), in: country).invalidIdentifiers == [])
      #expect(catalogue.products.allSatisfy { $0.price(in: country)?.currency == country.currency })
    }
    let price = catalogue["remove_ads"]?.price(in: try #require(CountryCode(alpha2: "BE")))
    #expect(price == nil)
  }

  @Test("PRD-9: the subscriptions have their offers, with prices wherever they are sold")
  func offers() throws {
    let catalogue = try shop().catalogue
    let trial = try #require(catalogue["pro_monthly"]?.subscription?.introductoryOffer)
    #expect(trial.mode == .freeTrial)
    #expect(trial.period == .oneWeek)
    let yearly = try #require(catalogue["pro_yearly"])
    let upFront = try #require(yearly.subscription?.introductoryOffer)
    #expect(upFront.mode == .payUpFront)
    for country in yearly.prices.keys {
      let regular = try #require(yearly.price(in: country))
      let reduced = try #require(yearly.price(of: upFront, in: country))
      #expect(reduced.currency == regular.currency)
      #expect(reduced.minorUnits < regular.minorUnits)
    }
  }

  @Test("PRD-8: texts come in the reader's language")
  func texts() throws {
    let catalogue = try shop().catalogue
    let product = try #require(catalogue["remove_ads"])
    #expect(product.text(preferring: ["nl-BE"], default: catalogue.defaultLanguage).title == "Advertenties verwijderen")
    #expect(product.text(preferring: ["ja-JP"], default: catalogue.defaultLanguage).title == "Remove ads")
  }
}
