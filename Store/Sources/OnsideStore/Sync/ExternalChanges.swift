import ServiceLifecycle
import Synchronization

/// Notices within a second that another process has changed the database: reads again what is kept in memory, and wakes
/// the waiting polls.
struct ExternalChanges: Service {
  let core: StoreCore

  func run() async throws {
    // From before the core read its data, not from now: a change in between would wake no poll.
    let known = Mutex(core.firstChangeToken)
    let dependencies = core.dependencies
    let looks = PeriodicService(
      every: .seconds(1), named: "reload", pausesFirst: true, clock: dependencies.clock, logger: dependencies.logger
    ) {
      let token = try await look(since: known.withLock(\.self))
      known.withLock { $0 = token }
    }
    await looks.run()
  }

  /// Looks once; the change token to go on from, which is older than what was read.
  func look(since known: Int64) async throws -> Int64 {
    let token = try await core.dependencies.database.changeToken()
    try await core.caches.reloadChanged()
    if token != known { core.changes.wakeAll() }
    return token
  }
}
