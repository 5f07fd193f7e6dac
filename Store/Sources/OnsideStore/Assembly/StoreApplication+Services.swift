import ServiceLifecycle
import StoreAccounts
import StoreAnalytics
import StoreBase
import StoreMerchants
import StoreSales
import StoreVault

extension StoreApplication {
  /// All that runs. It is stopped from the end: first readiness ends and the polls wake, then the server drains, then
  /// the rest.
  func services(beside server: any Service) -> [any Service] {
    let (dependencies, changes) = (core.dependencies, core.changes)
    var services: [any Service] = [core.deadlines, core.externalChanges]
    // The exporter is the first, so that it stops as the last one: it sends the spans of all others.
    if let exporter = dependencies.tracer?.exporter { services.insert(exporter, at: 0) }
    if let relay = dependencies.database.wakeRelay {
      services.append(WakeListener(relay: relay, database: dependencies.database, changes: changes))
    }
    services.append(core.webhookDeliveries)
    services.append(core.sequencer)
    services.append(core.outbox)
    services.append(
      ProviderEventSweep(events: core.providerEvents, providers: core.providers, dependencies: dependencies.base))
    services += maintenance
    services.append(IntegrityCheck(database: dependencies.database, logger: dependencies.logger))
    if let monitoringServer { services.append(monitoringServer) }
    return services + [
      core.messages, server, StopNotice(readiness: core.readiness, changes: changes, feed: core.eventFeed),
    ]
  }

  /// What is done from time to time, without a request.
  private var maintenance: [any Service] {
    let (orders, attribution, events, vault) = (core.orders, core.attribution, core.events, core.vault)
    let (subscriptions, offerCodes) = (core.subscriptions, core.offerCodes)
    let (accounts, apiKeys, feed) = (core.accounts, core.apiKeys, core.eventFeed)
    let customers = CustomerCatchUp(core.dependencies.base)
    let methods = MethodSweep(core.dependencies.base, providers: core.providers)
    let merchantEvents = EventRetention(core.dependencies.base)
    let webhooks = core.webhooks
    let idempotencyAnswers = IdempotencyRetention(core.dependencies.base)
    var services = [
      periodic(.seconds(1), "expiry") { try await orders.expireOpenOrders() },
      periodic(.seconds(1), "subscriptions") { try await subscriptions.passTime() },
      periodic(.seconds(1), "polls of the feed") { try await feed.wakeOutdated() },
      periodic(.seconds(3600), "clearing what has served its time") {
        try await attribution.clear()
        try await events.clear()
        try await orders.clearUnpaid()
        try await offerCodes.clearTries()
        try await accounts.clearDeletedSubscribers()
        try await merchantEvents.clear()
        try await webhooks.clear()
        try await idempotencyAnswers.clear()
      },
      periodic(.seconds(MethodSweep.period), "sweep of payment methods") { try await methods.run() },
      periodic(.seconds(60), "last use of API keys") { try await apiKeys.writeUses() },
      periodic(CustomerCatchUp.period, "first events of customers") { try await customers.run() },
      // Deleted keys are gone from the files within a minute.
      periodic(.seconds(20), "vault maintenance") { try await vault.maintain() },
    ]
    if let clock = core.dependencies.clock.steady {
      let watch = ClockWatch(clock, database: core.dependencies.database, logger: core.dependencies.logger)
      services.append(periodic(ClockWatch.period, "watch of the clock") { try await watch.run() })
    }
    guard core.dependencies.database.isOnServer else { return services }
    // Commits that the server has lost are noticed within seconds, also when no wallet asks this machine.
    return services + [periodic(.seconds(2), "comparison of the vault's guard") { try await vault.lossGuard.watch() }]
  }

  private func periodic(
    _ period: Duration, _ name: String, _ work: @escaping @Sendable () async throws -> Void
  ) -> PeriodicService {
    PeriodicService(
      every: period, named: name, clock: core.dependencies.clock, logger: core.dependencies.logger, work)
  }
}

/// Tells that the store stops: balancers send no more requests, and the waiting polls do not hold it up.
private struct StopNotice: Service {
  let readiness: Readiness
  let changes: ChangeHub
  let feed: EventFeed

  func run() async throws {
    try? await gracefulShutdown()
    readiness.stop()
    changes.close()
    feed.close()
  }
}
