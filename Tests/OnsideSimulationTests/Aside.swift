import Dispatch

/// Runs long work aside: on the threads that all tests share it would let the others wait.
func aside<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { done in
    DispatchQueue.global(qos: .utility).async { done.resume(returning: work()) }
  }
}
