import StoreBase

/// The name under which Stripe keeps the answer to a POST for at least a day: the same name gets the same answer again,
/// and nothing is done twice.
///
/// It names everything that makes a call another one. A key that leaves out the method would replay the refusal of the
/// first card when the buyer tries a second.
struct StripeIdempotencyKey: Sendable, Hashable, CustomStringConvertible {
  /// How long Stripe keeps a key, in seconds. Later a repetition would be a new charge.
  static let lifetime = 24.0 * 60 * 60

  let description: String

  /// A key that the store has made; another one for each attempt, from 1.
  init(_ text: String, attempt: Int64 = 1) { description = text + (attempt == 1 ? "" : ":\(attempt)") }

  /// - Parameters:
  ///   - operation: what is done, such as `charge`.
  ///   - subject: what it is done to: the store's id of the payment or refund.
  ///   - attempt: which try it is, from 1.
  ///   - method: the payment method's id, where the call has one.
  init(_ operation: String, subject: String, attempt: Int64 = 1, method: String? = nil) {
    let text = (["onside", operation, subject, String(attempt)] + (method.map { [$0] } ?? [])).joined(separator: ":")
    // Stripe takes 255 characters.
    description = text.utf8.count <= 255 ? text : "onside:\(operation):\(text.sha256Base64URL)"
  }
}
