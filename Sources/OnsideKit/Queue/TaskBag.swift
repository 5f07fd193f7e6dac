/// The tasks under way, so that all of them can be ended together.
@MainActor
final class TaskBag {
  /// Work of which only one runs.
  enum Name: Hashable { case sync }

  private var running: [Int: Task<Void, Never>] = [:]
  private var named: [Name: Int] = [:]
  private var last = 0

  @discardableResult
  func run(as name: Name? = nil, _ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    last += 1
    let number = last
    let task = Task { [weak self] in
      await work()
      self?.running[number] = nil
    }
    running[number] = task
    if let name { named[name] = number }
    return task
  }

  func cancel(_ name: Name) {
    if let number = named.removeValue(forKey: name) { running[number]?.cancel() }
  }

  func cancelAll() {
    for task in running.values { task.cancel() }
  }

  deinit {
    for task in running.values { task.cancel() }
  }
}

/// Runs a call and answers its result.
func attempt<Value: Sendable>(
  _ call: @Sendable () async throws(StoreError) -> Value
) async -> Result<Value, StoreError> {
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
