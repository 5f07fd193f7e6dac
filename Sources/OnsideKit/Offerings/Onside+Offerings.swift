// Groups of products that the operator has put together: an addition to the published API.
extension Onside {
  /// Loads the groups of products that the store's operator has put together, with prices in the user's region.
  ///
  /// ```swift
  /// let offerings = try await Onside.offerings()
  /// for product in offerings.current?.products ?? [] {
  ///   print(product.localizedTitle, product.price.formatted)
  /// }
  /// ```
  ///
  /// The store is asked each time. When it cannot be reached, the offerings are those of the last time, also of an
  /// earlier launch, with the prices of that time: ``OnsideOfferings/date`` says when. No login is needed. A local
  /// store has one offering, `default`, with every product of its file.
  ///
  /// - Throws: ``OnsideProductsRequestError``; `.connectionError` and `.serviceUnavailable` only when there are none
  ///   from an earlier time in the user's region.
  public static func offerings() async throws(OnsideProductsRequestError) -> OnsideOfferings {
    try await client().offerings()
  }
}
