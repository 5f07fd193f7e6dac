/// Runs `body` for at most `seconds`; nil when the time ran out first: `body` has been cancelled then, and has ended.
package func withDeadline<Value: Sendable>(
  _ seconds: Double, sleep: @escaping @Sendable (Double) async throws -> Void,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
  try await withThrowingTaskGroup(of: Race<Value>.self) { group in
    group.addTask { .answer(try await body()) }
    group.addTask {
      do { try await sleep(seconds) } catch { return .sleepEnded }
      return .timeUp
    }
    defer { group.cancelAll() }
    while let result = try await group.next() {
      switch result {
      case .answer(let value): return value
      case .timeUp: return nil
      case .sleepEnded: continue  // The caller was cancelled: what `body` makes of that is the answer.
      }
    }
    return nil
  }
}

private enum Race<Value: Sendable>: Sendable {
  case answer(Value)
  case timeUp
  case sleepEnded
}
