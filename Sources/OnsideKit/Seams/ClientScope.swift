import OnsideCommerce

/// A task-local replacement for the process's app session: calls of ``Onside`` from tasks that are bound to a scope go
/// to its client. So tests run an app's unchanged code, several at a time.
@MainActor
package final class ClientScope {
  let host = OnsideHost()
  /// The client; until there is one, calls go nowhere.
  package fileprivate(set) var client: OnsideClient?

  /// Whether this process ever had a scope: then a call without one is a test's mistake.
  private(set) static var isUsed = false

  /// An empty scope.
  package init() { Self.isUsed = true }

  /// Runs `body`, and every task that it begins, on this scope.
  package func bind<Value>(_ body: () throws -> Value) rethrows -> Value {
    try PresentTask.$scope.withValue(self, operation: body)
  }
}

/// Task-local values of the SDK.
package enum PresentTask {
  /// The scope that it is bound to.
  @TaskLocal package static var scope: ClientScope?
  /// Whether it sleeps through a pause of a payment queue or of the entitlements, and does nothing else.
  @TaskLocal package static var isPausing = false
  /// Whether that pause ends only to look at the clock: nothing is due then.
  @TaskLocal package static var onlyLooksAtClock = false
}

extension OnsideClient {
  /// A client of a store on this device, with everything that a test may replace.
  /// - Parameters:
  ///   - localStore: the store.
  ///   - dependencies: clock, randomness, disk.
  ///   - scope: the scope of the client; every task that the client begins is bound to it.
  ///   - person: answers in place of screens.
  ///   - wrap: puts something between the queue and the store.
  package convenience init(
    localStore: LocalStore, dependencies: Dependencies, scope: ClientScope, person: any LocalPerson,
    wrap: (any Store & AccountStore) -> any Store & AccountStore
  ) {
    var dependencies = dependencies
    dependencies.systemRegion = { localStore.storefront.alpha2 }
    let device = LocalDevice(localStore, dependencies: dependencies, person: person)
    self.init(
      configuration: nil, localStore: localStore, dependencies: dependencies, store: wrap(device), host: scope.host)
    scope.client = self
  }

  /// Ends the session at once, as a kill of the process: no more callbacks and no more requests.
  package func kill() {
    account.stop()
    entitlementController.stop()
    queue.stop()
  }

  /// Called with a note of each step of the queue.
  package var onNote: (@MainActor (QueueNote) -> Void)? {
    get { queue.onNote }
    set { queue.onNote = newValue }
  }

  /// Sets the callback for each point between two steps of a purchase.
  package func onCheckpoint(_ reached: @escaping @MainActor (Checkpoint) -> Void) { queue.checkpoint = reached }

  /// The work under way.
  package var work: Work {
    Work(
      tasks: queue.tasks.count + (entitlementController.isWorking ? 1 : 0),
      isWoken: entitlementController.isAboutToWork,
      loginsWaitedFor: account.waiting.count, isDiskIdle: queue.disk?.isIdle ?? true,
      questions: queue.questions,
      isPaying: queue.machine.purchases.values.contains { $0.holdsTurn } || !queue.calls.isEmpty)
  }

  /// How much a client has to do. Each task is at work, or rests: in a call to the store, or in a pause.
  package struct Work: Sendable, Hashable {
    /// The tasks of the queue, and the one that follows the entitlements.
    package var tasks: Int
    /// Whether the one that follows the entitlements is about to leave its pause.
    package var isWoken: Bool
    /// How many callers wait for the login that is under way.
    package var loginsWaitedFor: Int
    /// Whether the disk has nothing to do.
    package var isDiskIdle: Bool
    /// How many questions the app has not answered.
    package var questions: Int
    /// Whether a payment is between `add` and its outcome.
    package var isPaying: Bool
  }
}
