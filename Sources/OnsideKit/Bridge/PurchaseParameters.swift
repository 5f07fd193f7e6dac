struct PurchaseParameters: Decodable, Sendable {
  let productIdentifier: String
  let appAccountToken: String?
  let quantity: Int?
  let offer: OnsidePaymentOffer?
}
