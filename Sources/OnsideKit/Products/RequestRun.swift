/// One run of a request: it starts once, ends once, and is cancelled when its last reference is released.
@MainActor
final class RequestRun<Value: Sendable, Failure: Error> {
  /// Where a request stands. Pure: each step answers whether it is to be taken.
  struct Lifecycle: Sendable, Hashable {
    private enum Stage { case idle, running, ended }
    private var stage = Stage.idle

    mutating func start() -> Bool { move(from: .idle, to: .running) }
    mutating func end() -> Bool { move(from: .running, to: .ended) }

    private mutating func move(from: Stage, to: Stage) -> Bool {
      guard stage == from else { return false }
      stage = to
      return true
    }
  }

  private var lifecycle = Lifecycle()
  private var task: Task<Void, Never>?
  private let work: @MainActor @Sendable () async -> Result<Value, Failure>

  init(_ work: @escaping @MainActor @Sendable () async -> Result<Value, Failure>) { self.work = work }

  deinit { task?.cancel() }

  /// Runs the work; `deliver` is called once, unless the run is stopped or dropped before.
  func start(_ deliver: @escaping @MainActor @Sendable (Result<Value, Failure>) -> Void) {
    guard lifecycle.start() else { return }
    task = Task { [weak self, work] in
      let result = await work()
      guard let self, self.lifecycle.end() else { return }
      deliver(result)
    }
  }

  /// Stops a run in flight; answers whether there was one.
  func stop() -> Bool {
    guard lifecycle.end() else { return false }
    task?.cancel()
    return true
  }
}
