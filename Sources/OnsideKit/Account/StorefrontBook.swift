import OnsideAPI
import OnsideCommerce

/// The opaque storefront ids of one launch: one for each country, made when it is first needed (STF-5).
struct StorefrontBook {
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private var ids: [CountryCode: String] = [:]

  init(randomBytes: @escaping @Sendable (Int) -> [UInt8]) { self.randomBytes = randomBytes }

  mutating func storefront(in country: CountryCode) -> OnsideStorefront {
    let id = ids[country] ?? Base64URL.encode(randomBytes(12))
    ids[country] = id
    return OnsideStorefront(id: id, countryCode: country.alpha2)
  }
}
