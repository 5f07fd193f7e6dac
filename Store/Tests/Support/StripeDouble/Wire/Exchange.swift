/// A request to the double.
struct StripeRequest: Sendable {
  let method: String
  /// Without `/v1/`, split at its slashes.
  let path: [String]
  let form: Form
  let text: String
  let authorization: String?
  let idempotencyKey: String?
  let version: String?

  var isPost: Bool { method == "POST" }

  /// What a repetition with the same idempotency key must have alike.
  var fingerprint: String { "\(method) \(path.joined(separator: "/")) \(text)" }
}

/// An answer of the double.
struct StripeAnswer: Sendable {
  var status: Int
  var body: JSON
  var headers: [String: String] = [:]

  init(_ body: JSON) {
    status = 200
    self.body = body
  }

  init(_ refusal: Refusal) {
    status = refusal.status
    body = ["error": refusal.json]
  }
}

/// What was asked of the double, for tests that look at it.
public struct StripeExchange: Sendable, Hashable {
  /// The method of HTTP.
  public let method: String
  /// The path without `/v1/`, with `*` for each id.
  public let path: String
  /// The names of the parameters as they were sent: `metadata[order]`.
  public let parameters: [String]
  /// The header of that name.
  public let idempotencyKey: String?
  /// The header `Stripe-Version`.
  public let version: String?
  /// The answer's status; 0 when the connection was cut.
  public var status: Int
}
