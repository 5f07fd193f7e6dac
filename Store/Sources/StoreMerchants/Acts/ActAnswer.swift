/// The answer to a completed act.
struct ActAnswer: Sendable, Hashable {
  /// The HTTP status.
  let status: Int
  /// The JSON of the body.
  let json: String
  /// The account of the answer's object; nil for a refund, whose answer has no data of the account and is not deleted
  /// with it.
  let account: String?
}

/// The stored answer of an idempotency key.
struct StoredActAnswer: Sendable, Hashable {
  /// The hash of the request that was answered.
  let requestHash: String
  let answer: ActAnswer
}
