import ServiceLifecycle
import StoreBase

/// Notices within a second that another process has changed the database: reads again what is kept in memory, and wakes
/// the waiting polls.
struct ExternalChanges: Service {
  let core: StoreCore

  func run() async throws {
    let dependencies = core.dependencies
    let looks = PeriodicService(
      every: .seconds(1), named: "reload", pausesFirst: true, clock: dependencies.clock, logger: dependencies.logger,
      look)
    await looks.run()
  }

  /// Looks once.
  func look() async throws {
    try await core.caches.reloadChanged()
    try await core.changes.wakeOutdated(core.dependencies.database)
  }
}
