struct LoadProductsParameters: Decodable, Sendable {
  let productIdentifiers: Set<String>
}
