import OnsideCommerce

// Offerings as pages see them. `BridgeType` describes these types for TypeScript.

struct JSOffering: Encodable {
  let id: String
  let metadata: [String: String]
  let products: [JSProduct]

  init(_ offering: OnsideOffering) {
    id = offering.id
    metadata = offering.metadata
    products = offering.products.map(JSProduct.init)
  }
}

struct JSOfferings: Encodable {
  let current: String?
  let offerings: [JSOffering]
  let date: String

  init(_ offerings: OnsideOfferings) {
    current = offerings.current?.id
    self.offerings = offerings.all.map(JSOffering.init)
    date = RFC3339.text(offerings.date)
  }
}
