public import Hummingbird
public import OnsideAPI
public import OnsideCommerce
import StoreBase

/// An error response (RFC 9457). Any code below a route may throw it.
public struct Problem: Error, Sendable, Equatable {
  /// The HTTP status.
  public var status: HTTPResponse.Status
  /// The stable code.
  public var code: ProblemCode
  /// What was expected, what came and what to do; never anything of the store's inside or of another user.
  public var detail: String?
  /// Seconds after which to come back, sent as `Retry-After`.
  public var retryAfter: Int?
  /// The account's country now, with ``ProblemCode/storefrontChanged``.
  public var country: CountryCode?
  /// How an enrolment of the vault stands, with its refusals.
  public var vault: VaultMessage?
  /// The store's time, milliseconds since 1970, with ``ProblemCode/vaultClock``.
  public var serverTime: Int64?

  /// A refusal.
  public init(
    _ status: HTTPResponse.Status, code: ProblemCode, detail: String? = nil, retryAfter: Int? = nil,
    country: CountryCode? = nil
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.retryAfter = retryAfter
    self.country = country
  }

  /// 400: a request that cannot be understood.
  public static func invalidRequest(_ detail: String) -> Problem {
    Problem(.badRequest, code: .invalidRequest, detail: detail)
  }

  /// 404: there is no such thing, or it is not the caller's.
  public static let notFound = Problem(.notFound, code: .notFound)

  /// 404: the request names no registered app.
  package static let appNotRegistered = Problem(.notFound, code: .appNotRegistered)

  /// 401: no valid access token.
  public static let notAuthenticated = Problem(.unauthorized, code: .notAuthenticated)

  /// 500: the store's own fault.
  public static let internalError = Problem(.internalServerError, code: .internalError)
}

extension Problem: LoggedDetails {
  var loggedDetails: String { code.rawValue }
}
