import Synchronization

extension DeadlineTimer {
  /// Runs `body` in a task of its own and cancels it when its time is up; then throws `late`. A write that was accepted
  /// is still waited for: its answer is then known.
  func run<Result: Sendable>(
    within limit: Duration, late: Problem, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task.immediate { try await body() }
    let isExpired = Flag()
    let ticket = schedule(after: limit) {
      isExpired.raise()
      task.cancel()
    }
    defer { cancel(ticket) }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      guard isExpired.isRaised else { throw error }
      throw late
    }
  }
}

extension DeadlineTimer {
  /// Runs `body` in a task of its own. Returns nil when its time is up, and leaves it to itself then.
  package func result<Result: Sendable>(
    within limit: Duration, of body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    let (results, done) = AsyncStream.makeStream(of: Result.self)
    let ticket = schedule(after: limit) { done.finish() }
    defer { cancel(ticket) }
    Task {
      done.yield(await body())
      done.finish()
    }
    for await result in results { return result }
    return nil
  }
}

/// A mark that is set once.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isRaised: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}
