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

  /// Whether ``OnsidePayment/quantity`` cannot be ordered: it is not in ``OnsidePayment/quantities``, it is more than 1
  /// of a product that is not a consumable or with an offer, or the total is more than an amount can hold.
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

  /// The reason not to take a token, if there is one.
  init?(checkingToken token: String?) {
    guard let error = Self.fault(ofToken: token) else { return nil }
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
    let (quantity, product, allowed) = (payment.quantity, payment.product, OnsidePayment.quantities)
    if quantity < 1 { return invalid(quantity, expected: "\(allowed.words): pass at least 1") }
    if quantity == 1 { return nil }
    if !allowed.contains(quantity) {
      return invalid(quantity, expected: "\(allowed.words): split it into several payments")
    }
    if product.productType != .consumable {
      return invalid(
        quantity, expected: "1: \(product.productIdentifier) is not a consumable, which alone is sold in quantities")
    }
    if payment.offer != nil { return invalid(quantity, expected: "1 with an offer: pass 1, or no offer") }
    if (try? product.price.money.multiplied(by: quantity)) == nil {
      return invalid(quantity, expected: "fewer: so many at \(product.price.money) are more than an amount can hold")
    }
    return nil
  }

  private static func invalid(_ quantity: Int, expected: String) -> OnsidePaymentError {
    OnsidePaymentError(quantityInvalid, "quantity is \(quantity), expected \(expected)")
  }
}

extension ClosedRange<Int> {
  fileprivate var words: String { "\(lowerBound) to \(upperBound)" }
}
