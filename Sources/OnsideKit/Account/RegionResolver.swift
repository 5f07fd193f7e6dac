package import OnsideCommerce

/// Which region counts while nobody is signed in (STF-2, STF-3).
package struct RegionResolver: Sendable {
  private var refusedHints: Set<String> = []
  /// The region that the store answers with when it is given none; known after the first such answer.
  package var storeDefault: CountryCode?

  package init() {}

  /// A region, and whether there is a hint to warn of that names none.
  package struct Resolution: Hashable, Sendable {
    package var country: CountryCode?
    package var refusedHint: String?
  }

  /// The hint, else the system's region, else the store's default. A hint that names no country is told once.
  package mutating func resolve(hint: String?, system: String?) -> Resolution {
    let hinted = hint.flatMap(CountryCode.init(hint:))
    var resolution = Resolution(country: hinted ?? system.flatMap(CountryCode.init(hint:)) ?? storeDefault)
    if let hint, hinted == nil, refusedHints.insert(hint).inserted { resolution.refusedHint = hint }
    return resolution
  }
}
