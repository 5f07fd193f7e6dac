import Dispatch
import Synchronization

extension PostgresPool {
  /// ``run(_:)`` for synchronous callers, whose thread waits.
  public func runBlocking<T: Sendable>(_ body: @escaping @Sendable (PostgresConnection) throws -> T) throws -> T {
    let answer = BlockingAnswer<T>()
    enqueue { connection in
      let result = Result { try body(connection.get()) }
      return { answer.set(result) }
    }
    return try answer.wait()
  }
}

/// A result that one thread waits for and another delivers.
private final class BlockingAnswer<Value: Sendable>: Sendable {
  private let isThere = DispatchSemaphore(value: 0)
  private let result = Mutex<Result<Value, any Error>?>(nil)

  func set(_ result: Result<Value, any Error>) {
    self.result.withLock { $0 = result }
    isThere.signal()
  }

  func wait() throws -> Value {
    isThere.wait()
    guard let result = result.withLock({ $0 }) else { preconditionFailure("A result was signalled, but not set") }
    return try result.get()
  }
}
