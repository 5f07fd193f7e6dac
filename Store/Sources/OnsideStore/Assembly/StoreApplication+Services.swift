import ServiceLifecycle

extension StoreApplication {
  /// All that runs. It is stopped from the end: first readiness ends and the polls wake, then the server drains, then the rest.
  func services(beside server: any Service) -> [any Service] {
    let dependencies = core.dependencies
    // The exporter is the first, so that it stops as the last one: it sends the spans of all others.
    let exporter: [any Service] = dependencies.tracer.map { [$0.exporter] } ?? []
    return exporter + [
      core.deadlines,
      ExternalChanges(core: core),
      WakeListener(relay: dependencies.database.wakeRelay, changes: core.changes),
      core.outbox,
      ProviderEventSweep(events: core.providerEvents, providers: core.providers, dependencies: dependencies),
      OrderMaintenance(orders: core.orders, dependencies: dependencies),
      AttributionMaintenance(attribution: core.attribution, events: core.events, logger: dependencies.logger),
      VaultMaintenance(vault: core.vault, dependencies: dependencies),
      VaultGuardWatch(vault: core.vault, dependencies: dependencies),
      IntegrityCheck(database: dependencies.database, logger: dependencies.logger),
      core.messages,
      server,
      StopNotice(readiness: core.readiness, changes: core.changes),
    ]
  }
}

/// Tells that the store stops: balancers send no more requests, and the waiting polls do not hold it up.
private struct StopNotice: Service {
  let readiness: Readiness
  let changes: ChangeHub

  func run() async throws {
    try? await gracefulShutdown()
    readiness.stop()
    changes.close()
  }
}
