import ServiceLifecycle
package import StoreAccounts
package import StoreBase

/// Notices within a second that another process has changed the database: reads again what is kept in memory, and wakes
/// the waiting polls.
package struct ExternalChanges: Service {
  package let dependencies: BaseDependencies
  package let caches: Caches
  package let changes: ChangeHub

  package init(dependencies: BaseDependencies, caches: Caches, changes: ChangeHub) {
    self.dependencies = dependencies
    self.caches = caches
    self.changes = changes
  }

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
