import ServiceLifecycle
import StoreAccounts
import StoreBase

/// Notices within a second that another process has changed the database: reads again what is kept in memory, and wakes
/// the waiting polls.
struct ExternalChanges: Service {
  let dependencies: BaseDependencies
  let caches: Caches
  let changes: ChangeHub

  func run() async throws {
    let looks = PeriodicService(
      every: .seconds(1), named: "reload", pausesFirst: true, clock: dependencies.clock, logger: dependencies.logger,
      look)
    await looks.run()
  }

  /// Looks once.
  func look() async throws {
    try await caches.reloadChanged()
    try await changes.wakeOutdated(dependencies.database)
  }
}
