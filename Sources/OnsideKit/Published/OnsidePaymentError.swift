import OnsideAPI

/// A payment that cannot be taken as it is. An addition to the published API.
public struct OnsidePaymentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error's name.
  public let rawValue: String
  /// What was expected, what came and what to do.
  public let description: String

  /// Whether ``OnsidePayment/appAccountToken`` has more than 512 bytes of UTF-8.
  public var isAppAccountTokenTooLong: Bool { rawValue == Self.tokenTooLong }

  private static let tokenTooLong = "appAccountTokenTooLong"
  private static let tokenInvalid = "appAccountTokenInvalid"

  /// The reason not to take a payment, if there is one.
  init?(checking payment: OnsidePayment) {
    let bytes = payment.appAccountToken?.utf8
    guard bytes?.contains(0) != true else {
      rawValue = Self.tokenInvalid
      description = "appAccountToken contains U+0000, which no store keeps; pass an identifier of your user without it"
      return
    }
    let length = bytes?.count ?? 0
    guard length > OrderRequest.appAccountTokenLimit else { return nil }
    rawValue = Self.tokenTooLong
    description = """
      appAccountToken has \(length) bytes of UTF-8, at most \(OrderRequest.appAccountTokenLimit) are allowed; \
      pass a short identifier of your user instead
      """
  }
}
