import OnsideAPI
import OnsideCommerce

/// A payment that cannot be taken as it is. An addition to the published API.
public struct OnsidePaymentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error's name.
  public let rawValue: String
  /// What was expected, what came and what to do.
  public let description: String

  /// Whether ``OnsidePayment/appAccountToken`` has more than 512 bytes of UTF-8.
  public var isAppAccountTokenTooLong: Bool { rawValue == Self.tokenTooLong }

  /// Whether ``OnsidePayment/quantity`` cannot be ordered: it is not from 1 to 1000, it is more than 1 of a product
  /// that is no consumable or with an offer, or the price of so many is more than an amount can hold.
  public var isQuantityInvalid: Bool { rawValue == Self.quantityInvalid }

  private static let tokenTooLong = "appAccountTokenTooLong"
  private static let tokenInvalid = "appAccountTokenInvalid"
  private static let quantityInvalid = "quantityInvalid"

  private init(_ rawValue: String, _ description: String) {
    self.rawValue = rawValue
    self.description = description
  }

  /// The reason not to take a payment, if there is one.
  init?(checking payment: OnsidePayment) {
    guard let error = Self.fault(ofToken: payment.appAccountToken) ?? Self.fault(ofQuantity: payment) else {
      return nil
    }
    self = error
  }

  private static func fault(ofToken token: String?) -> OnsidePaymentError? {
    let bytes = token?.utf8
    guard bytes?.contains(0) != true else {
      return OnsidePaymentError(
        tokenInvalid,
        "appAccountToken contains U+0000, which no store keeps; pass an identifier of your user without it")
    }
    let length = bytes?.count ?? 0
    guard length > OrderRequest.appAccountTokenLimit else { return nil }
    return OnsidePaymentError(
      tokenTooLong,
      """
      appAccountToken has \(length) bytes of UTF-8, at most \(OrderRequest.appAccountTokenLimit) are allowed; \
      pass a short identifier of your user instead
      """)
  }

  private static func fault(ofQuantity payment: OnsidePayment) -> OnsidePaymentError? {
    let (quantity, product) = (payment.quantity, payment.product)
    let reason: String? =
      if !(1...OrderRequest.quantityLimit).contains(quantity) {
        "1 to \(OrderRequest.quantityLimit) are allowed; add another payment for more"
      } else if quantity == 1 {
        nil
      } else if product.productType != .consumable {
        "only consumables are sold in larger quantities, and \(product.productIdentifier) is none; pass 1"
      } else if payment.offer != nil {
        "with an offer only 1 is sold; pass 1, or no offer"
      } else if (try? product.price.money.multiplied(by: quantity)) == nil {
        "so many at \(product.price.money) are more than an amount can hold; pass less"
      } else {
        nil
      }
    return reason.map { OnsidePaymentError(quantityInvalid, "quantity is \(quantity): \($0)") }
  }
}
