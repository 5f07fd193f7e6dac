import ServiceLifecycle

extension StoreApplication {
  /// All that runs. It is stopped from the end: first the polls wake, then the server drains, then the rest.
  func services(beside server: any Service) -> [any Service] {
    let dependencies = core.dependencies
    return [
      core.deadlines,
      ExternalChanges(core: core),
      core.outbox,
      OrderMaintenance(orders: core.orders, dependencies: dependencies),
      AttributionMaintenance(attribution: core.attribution, events: core.events, logger: dependencies.logger),
      VaultMaintenance(vault: core.vault, dependencies: dependencies),
      IntegrityCheck(database: dependencies.database, logger: dependencies.logger),
      core.messages,
      server,
      PollCloser(changes: core.changes),
    ]
  }
}

/// Wakes the waiting polls when the store stops, so that they do not hold it up.
private struct PollCloser: Service {
  let changes: ChangeHub

  func run() async throws {
    try? await gracefulShutdown()
    changes.close()
  }
}
