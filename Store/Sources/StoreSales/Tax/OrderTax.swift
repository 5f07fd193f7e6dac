package import OnsideCommerce

/// How an order was taxed, as of its payment. Later changes of rates do not change it.
package struct OrderTax: Sendable, Hashable {
  /// The country whose tax the price includes.
  package let country: CountryCode
  /// The rate in hundredths of a percent; nil when none was known, and no tax is booked.
  package let basisPoints: Int64?
  /// What tells where the buyer is.
  package let evidence: LocationEvidence

  /// The tax that a price includes; zero without a rate.
  package func amount(in price: Money) -> Money {
    basisPoints.map { TaxRate.tax(in: price, basisPoints: $0) } ?? .zero(price.currency)
  }
}
