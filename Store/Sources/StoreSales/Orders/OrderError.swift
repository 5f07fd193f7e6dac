public import OnsideAPI
public import OnsideCommerce
import StoreBase
import StoreWeb

/// The reason that an order is not made, changed or found. Callers over HTTP get the problem of ``code``.
public struct OrderError: Error, Hashable, Sendable {
  /// The code on the wire.
  public let code: ProblemCode
  /// The expected and the received value; nil where the code is enough.
  public let detail: String?
  /// The account's country now, when the order names another one.
  public let country: CountryCode?
  /// Seconds after which the same order may be made; nil where waiting does not help.
  public let retryAfter: Int?

  private init(_ code: ProblemCode, detail: String? = nil, country: CountryCode? = nil, retryAfter: Int? = nil) {
    self.code = code
    self.detail = detail
    self.country = country
    self.retryAfter = retryAfter
  }

  /// There is no such order, or it is not the caller's.
  public static let notFound = OrderError(.notFound)
  /// The account was removed.
  public static let accountRemoved = OrderError(.notAuthenticated)
  /// The order is not paid.
  public static let notFinal = OrderError(.orderNotFinal)
  /// The account has another plan of the subscription group.
  public static let subscriptionActive = OrderError(.subscriptionActive)
  /// The product does not exist, or is not sold in the region.
  public static let productNotAvailable = OrderError(.productNotAvailable)
  /// No product can have the identifier.
  public static let invalidProductIdentifier = OrderError(.invalidProductIdentifier)
  /// The app's token for its account is too long.
  public static let appAccountTokenTooLong = OrderError(.appAccountTokenTooLong)
  /// The idempotency key was used for another request.
  public static let idempotencyKeyReused = OrderError(.idempotencyKeyReused)

  /// The product is not sold in the quantity.
  public static func quantityNotAvailable(_ detail: String) -> OrderError {
    OrderError(.quantityNotAvailable, detail: detail)
  }

  /// The product has no such offer, or the account may not have it.
  public static func offerNotEligible(_ detail: String) -> OrderError { OrderError(.offerNotEligible, detail: detail) }

  /// The signature of a promotional offer is missing, or is not one for this order.
  public static func offerSignatureInvalid(_ detail: String) -> OrderError {
    OrderError(.offerSignatureInvalid, detail: detail)
  }

  /// The order names another country than the account's.
  public static func storefrontChanged(to country: CountryCode) -> OrderError {
    OrderError(.storefrontChanged, country: country)
  }

  /// The account has made too many orders in a day that are not paid.
  public static func tooManyUnpaid(limit: Int, retryAfter: Int) -> OrderError {
    OrderError(
      .rateLimited, detail: "Expected at most \(limit) orders of an account in an app in 24 hours that are not paid.",
      retryAfter: retryAfter)
  }

  /// A field has a value that no order can have.
  public static func invalidRequest(_ detail: String) -> OrderError { OrderError(.invalidRequest, detail: detail) }
}

extension OrderError: ProblemConvertible {
  /// The answer with the error's code and detail.
  var problem: Problem {
    var problem = Problem(code, detail: detail, country: country)
    problem.retryAfter = retryAfter
    return problem
  }
}

extension OrderError: LoggedDetails {
  var loggedDetails: String { code.rawValue }
}
