/// Runs a call and answers its result. A task that is cancelled before it begins does not begin.
func attempt<Value: Sendable>(
  _ call: @Sendable () async throws(StoreError) -> Value
) async -> Result<Value, StoreError> {
  if Task.isCancelled { return .failure(.cancelled) }
  do {
    return .success(try await call())
  } catch {
    return .failure(error)
  }
}

extension Result {
  /// The value, if it is one.
  var success: Success? { try? get() }

  /// The error, if it is one.
  var failure: Failure? {
    switch self {
    case .success: nil
    case .failure(let error): error
    }
  }
}
