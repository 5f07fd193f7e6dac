/// An answer to a request of a test, with its HTTP status and its `Retry-After`.
public struct StoreAnswer<Content> {
  /// The whole answer.
  public let content: Content
  fileprivate let status: Int
  fileprivate let retryAfter: String?

  /// Makes an answer.
  public init(_ content: Content, status: Int, retryAfter: String?) {
    (self.content, self.status, self.retryAfter) = (content, status, retryAfter)
  }

  /// The pause that a store with too much work asks for: 503 with `Retry-After` in seconds. Nil for any other answer.
  fileprivate var pause: Duration? {
    guard status == 503, let seconds = retryAfter.flatMap({ Int($0) }) else { return nil }
    return .seconds(min(max(1, seconds), 10))
  }
}

/// Sends a request, and repeats it while the answer is 503 with `Retry-After`, as the clients of users do. Prints each
/// repetition. A pause is ten seconds at most.
/// - Parameters:
///   - name: the request, for the error.
///   - send: sends the request once.
/// - Throws: ``NamedDeadline`` if the store is still busy at its end.
public func repeatedWhileBusy<Content>(
  _ name: String, isolation: isolated (any Actor)? = #isolation, send: () async throws -> StoreAnswer<Content>
) async throws -> Content {
  let deadline = NamedDeadline("an answer other than 503 with Retry-After to \(name)")
  while true {
    let answer = try await send()
    guard let pause = answer.pause else { return answer.content }
    print("503 with Retry-After: \(name) is repeated in \(pause)")
    try await deadline.next(in: pause)
  }
}
