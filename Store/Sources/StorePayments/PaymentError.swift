public import OnsideAPI
import StoreBase
import StoreWeb

/// Why a payment is not made, or a provider's event not applied. Callers over HTTP get the problem of ``code``.
public struct PaymentError: Error, Hashable, Sendable {
  /// The code on the wire.
  public let code: ProblemCode
  /// What was expected and what came; nil where the code says it all.
  public let detail: String?

  private init(_ code: ProblemCode, detail: String? = nil) {
    self.code = code
    self.detail = detail
  }

  /// There is no such order, or the payment is another order's.
  public static let notFound = PaymentError(.notFound)
  /// The account that pays was removed.
  package static let accountRemoved = PaymentError(.notAuthenticated)
  /// The event was not signed with the provider's key.
  public static let invalidSignature = PaymentError(.invalidSignature)

  /// The event has a field with another value than expected.
  public static func invalidEvent(_ detail: String) -> PaymentError { PaymentError(.invalidRequest, detail: detail) }
}

extension PaymentError: ProblemConvertible {
  /// The answer with the error's code and detail.
  var problem: Problem { Problem(code, detail: detail) }
}

extension PaymentError: LoggedDetails {
  var loggedDetails: String { code.rawValue }
}
