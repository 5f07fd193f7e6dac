import Logging
import OnsideAPI
import OnsideCommerce

extension OnsideClient {
  /// The most identifiers that are asked for in one call.
  nonisolated static let productsPerCall = 100

  /// A request for products; give it a delegate, keep it, and start it.
  public func makeProductsRequest(productIdentifiers: Set<String>) -> any OnsideProductsRequest {
    ProductsRequest { [weak self] in
      guard let self else { return .failure(.cancelled) }
      return await self.loadProducts(productIdentifiers)
    }
  }

  /// Products by their identifiers. An addition to the published API.
  public func products(
    for productIdentifiers: Set<String>
  ) async throws(OnsideProductsRequestError) -> OnsideProductsResponse {
    try await loadProducts(productIdentifiers).get()
  }

  private func loadProducts(
    _ identifiers: Set<String>
  ) async -> Result<OnsideProductsResponse, OnsideProductsRequestError> {
    // The store sells none of the malformed ones, and a long one would make an address that servers refuse.
    let malformed = identifiers.filter { !Product.isIdentifier($0) }
    let wanted = identifiers.filter(Product.isIdentifier).sorted()
    guard !wanted.isEmpty else {
      return .success(OnsideProductsResponse(products: [], invalidProductIdentifiers: malformed.sorted()))
    }
    let country = account.countryForProducts
    do {
      let message = try await withDeadline(StoreConnection.deadline, sleep: dependencies.sleep) {
        [store, languages = dependencies.languages()] in
        try await Self.load(wanted, country: country, languages: languages, from: store)
      }
      guard let message else { return .failure(.connectionError) }
      if country == nil, account.signedIn == nil { account.storeDefaultLearned(message.country) }
      return .success(message.response(withInvalid: malformed))
    } catch {
      let error = error as? StoreError ?? .cancelled
      if let detail = error.detail { dependencies.logger.error("Products could not be loaded: \(detail)") }
      return .failure(OnsideProductsRequestError(error))
    }
  }

  /// Each identifier that was asked for is in exactly one of the two lists.
  private nonisolated static func load(
    _ identifiers: [String], country: CountryCode?, languages: [String], from store: any Store
  ) async throws(StoreError) -> ProductsMessage {
    let first = Array(identifiers.prefix(productsPerCall))
    var whole = try await store.products(first, country: country, languages: languages)
    var rest = identifiers.dropFirst(productsPerCall)
    while !rest.isEmpty {
      let part = try await store.products(Array(rest.prefix(productsPerCall)), country: country, languages: languages)
      whole.products += part.products
      whole.invalidProductIDs += part.invalidProductIDs
      rest = rest.dropFirst(productsPerCall)
    }
    return whole
  }
}

extension ProductsMessage {
  /// The published form.
  ///
  /// - Parameter malformed: identifiers that the store was not asked for.
  func response(withInvalid malformed: Set<String>) -> OnsideProductsResponse {
    OnsideProductsResponse(
      products: products.map { OnsideProduct($0, in: country) },
      invalidProductIdentifiers: (invalidProductIDs + malformed).sorted())
  }
}

extension OnsideProductsRequestError {
  /// The published case for what went wrong (PRD-5).
  init(_ error: StoreError) {
    switch error {
    case .connection, .notTheStore: self = .connectionError
    case .appNotRegistered, .notFound: self = .appNotRegistered
    case .refused(.forbidden): self = .internalError
    case .refused: self = .invalidProductIdentifier
    case .serviceUnavailable: self = .serviceUnavailable
    case .cancelled: self = .cancelled
    case .storefrontChanged, .notSignedIn, .presentationFailed, .internalError: self = .internalError
    }
  }
}
