package import OnsideCommerce

/// Resolves the region to use while signed out (STF-2, STF-3).
package struct RegionResolver: Sendable {
  private var refusedHints: Set<String> = []
  /// The region that the store answers with when it is given none; known after the first such answer.
  package var storeDefault: CountryCode?

  package init() {}

  /// The resolved region, and a hint that names no country, to be logged.
  package struct Resolution: Hashable, Sendable {
    package var country: CountryCode?
    package var refusedHint: String?
  }

  /// The hint, else the system's region, else the store's default. Each hint that names no country is reported once.
  package mutating func resolve(hint: String?, system: String?) -> Resolution {
    let hinted = hint.flatMap(CountryCode.init(hint:))
    var resolution = Resolution(country: hinted ?? system.flatMap(CountryCode.init(hint:)) ?? storeDefault)
    if let hint, hinted == nil, refusedHints.insert(hint).inserted { resolution.refusedHint = hint }
    return resolution
  }
}
