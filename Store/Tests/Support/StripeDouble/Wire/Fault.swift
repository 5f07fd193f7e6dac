/// What goes wrong with a request.
public enum StripeFault: Sendable {
  /// The connection is cut, and nothing happened.
  case cutBefore
  /// What was asked is done, and the answer is lost.
  case answerLost
  /// Stripe fails. The answer is kept under the idempotency key, and replayed.
  case serverError(afterEffect: Bool)
  /// The key is not known, as after its expiry; nothing happened.
  case unauthorized
  /// Too many requests; nothing happened.
  case rateLimited(retryAfter: Int)
  /// The request waits for the gate after its idempotency key is taken.
  case held(StripeGate)
  /// The webhook calls that the request causes go out before its answer.
  case webhooksFirst
}

/// A gate that holds requests until a test opens it.
public struct StripeGate: Sendable {
  private let arrived = AsyncStream.makeStream(of: Void.self)
  private let opened = AsyncStream.makeStream(of: Void.self)

  /// A closed gate.
  public init() {}

  /// Returns when a request stands at the gate.
  public func reached() async {
    for await _ in arrived.stream { return }
  }

  /// Lets the request pass.
  public func open() { opened.continuation.finish() }

  func pass() async {
    arrived.continuation.yield()
    for await _ in opened.stream {}
  }
}
