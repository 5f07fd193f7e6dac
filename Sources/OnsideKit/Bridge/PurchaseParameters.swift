struct PurchaseParameters: Decodable, Sendable {
  let productIdentifier: String
  let appAccountToken: String?
  let quantity: Int
  let offer: OnsidePaymentOffer?

  private enum CodingKeys: CodingKey {
    case productIdentifier, appAccountToken, quantity, offer
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    productIdentifier = try fields.decode(String.self, forKey: .productIdentifier)
    appAccountToken = try fields.decodeIfPresent(String.self, forKey: .appAccountToken)
    // JSON has NaN and Infinity as null: a page that has miscalculated does not buy one.
    quantity = fields.contains(.quantity) ? try fields.decode(Int.self, forKey: .quantity) : 1
    offer = try fields.decodeIfPresent(OnsidePaymentOffer.self, forKey: .offer)
  }
}
