public import OnsideCommerce
import StorePayments

extension StoreCore {
  /// The prices of a catalogue that the active payment provider may reject, each with its product, country and the
  /// reason, such as `coins in US: expected 0.50 USD or more, as stripe charges, got 0.10 USD`.
  public func unchargeablePrices(of catalogue: Catalogue) -> [String] {
    let provider = providers.active.name
    func problems(_ name: String, _ prices: [CountryCode: Money]) -> [String] {
      prices.sorted { $0.key.alpha2 < $1.key.alpha2 }.compactMap { country, price in
        BuiltInProviders.problem(of: price, at: provider).map {
          "\(name) in \(country): \($0), as \(provider) charges, got \(price)"
        }
      }
    }
    return catalogue.products.flatMap { product in
      problems(product.id, product.prices)
        + (product.subscription?.offers ?? []).flatMap { problems("\(product.id), offer \($0.id),", $0.prices) }
    }
  }
}
