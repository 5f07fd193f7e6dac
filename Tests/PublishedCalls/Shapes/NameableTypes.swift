import OnsideKit

/// Names of OnsideCommerce's types, in a file that imports OnsideKit alone.
enum NameableTypes {
  static func words(of kind: ProductKind) -> String { kind == .consumable ? "used up" : kind.rawValue }

  static func total(_ price: Money, _ count: Int) throws(MoneyError) -> Money { try price.multiplied(by: count) }

  static func zero(in country: CountryCode) -> Money {
    let currency: Currency = country.currency
    return Money(minorUnits: 0, currency: currency)
  }

  static func isTrial(_ offer: OnsideProductOffer) -> Bool {
    let (kind, mode): (OfferKind, PaymentMode) = (offer.kind, offer.terms.paymentMode)
    return kind == .introductory && mode == .freeTrial
  }

  static func isRefund(_ reason: RevocationReason) -> Bool { reason == .refund }

  static func isRenewal(_ reason: TransactionReason) -> Bool { reason == .renewal }

  static func isSold(_ identifier: String, by configuration: StoreKitConfiguration) -> Bool {
    let broken: [StoreKitBrokenProduct] = configuration.brokenProducts
    let errors: [StoreKitFileError] = broken.map(\.error)
    return errors.isEmpty && configuration.products.contains { $0.id == identifier }
  }

  static func failures(of settings: StoreKitSettings) -> [StoreKitFailure] {
    let rate: TimeRate = settings.timeRate
    return rate == .realTime ? settings.storeKitErrors : []
  }
}
