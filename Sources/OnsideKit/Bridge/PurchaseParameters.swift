struct PurchaseParameters: Decodable, Sendable {
  let productIdentifier: String
  let appAccountToken: String?
  let offer: OnsidePaymentOffer?
}
