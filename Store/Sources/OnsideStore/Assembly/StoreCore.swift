public import Crypto

/// The services of the store, put together once for each process. Commands work with it as it is;
/// ``StoreApplication`` adds routes, server and what runs beside it.
public final class StoreCore: Sendable {
  /// What the store was given.
  public let dependencies: StoreDependencies
  /// The address under which the world knows it.
  public let address: PublicAddress
  /// Its secret keys.
  public let secrets: StoreSecrets
  /// Access tokens.
  public let accessToken: AccessTokenIssuer
  /// The sessions whose access tokens are refused before they expire.
  let revokedSessions: RevokedSessions
  /// The registered apps.
  public let apps: AppDirectory
  /// What the apps sell.
  public let catalogue: CatalogueService
  /// The keys that sign receipts and histories.
  public let signingKeys: SigningKeys
  /// Orders.
  public let orders: OrderService
  /// Tax rates.
  public let tax: TaxService
  /// What apps are paid.
  public let payouts: PayoutService
  /// What the hosted payment pages do.
  public let payments: PaymentService
  /// Wakes waiting polls.
  public let changes: ChangeHub
  /// Whether this process should get requests.
  let readiness: Readiness
  let deadlines: DeadlineTimer
  let outbox: Outbox
  let providerEvents: ProviderEventService
  let sync: SyncService
  let attribution: AttributionService
  let events: EventService
  let vault: VaultService
  /// The steps of a login.
  package let logins: LoginService
  /// Delivers the codes of logins.
  package let messages: MessageOutbox
  /// What is kept in memory, which other processes may change.
  let caches: Caches

  /// Reads what is needed from the database and puts the store together.
  public init(_ dependencies: StoreDependencies) async throws {
    self.dependencies = dependencies
    let commits = CommitMetrics(dependencies.metrics)
    dependencies.database.observeCommits { commits.count($0) }
    let (database, clock) = (dependencies.database, dependencies.clock)
    address = PublicAddress(dependencies.configuration)
    try await DatabaseEnvironment(dependencies.configuration.environment).check(database)
    secrets = try await StoreSecrets.load(database, dependencies.random)
    try await SyncEpoch.begin(database, dependencies.random)
    accessToken = AccessTokenIssuer(key: secrets.key(for: "access-token"))
    revokedSessions = RevokedSessions(database: database, clock: clock)
    apps = AppDirectory(database: database, clock: clock)
    catalogue = CatalogueService(database: database, clock: clock)
    signingKeys = SigningKeys(dependencies)
    deadlines = DeadlineTimer(clock: clock)
    readiness = Readiness(dependencies, keys: signingKeys, deadlines: deadlines)
    changes = ChangeHub(
      deadlines: deadlines, limitPerAccount: dependencies.configuration.limits.waitingPollsPerAccount,
      relay: database.wakeRelay)
    outbox = Outbox(dependencies)
    let records = OrderRecords(products: OrderedProducts(), metrics: PurchaseMetrics(dependencies.metrics))
    let settlement = PaymentSettlement(
      orders: records, payments: PaymentRecords(provider: SandboxPaymentProvider.name),
      ledger: Ledger(commissionBasisPoints: dependencies.configuration.commissionBasisPoints), keys: signingKeys,
      environment: dependencies.configuration.environment, seller: dependencies.configuration.seller)
    let tokens = PaymentToken(key: secrets.key(for: "payment-page"))
    caches = Caches(
      database: database, clock: clock,
      reloads: [
        .apps: apps.reload, .catalogue: catalogue.reload, .signingKeys: signingKeys.reload,
        .sandboxClock: SandboxClockSetting(dependencies).reload, .revokedSessions: revokedSessions.reload,
      ])
    let quotes = QuoteCache(
      catalogue, orderedProducts: records.products, caches: caches, database: database)
    let leases = DeliveryLeases(
      database: database, records: records, clock: clock, lifetime: dependencies.configuration.deliveryLease)
    orders = OrderService(
      dependencies, records: records,
      json: OrderJSON(tokens: tokens, address: address, deliveryLease: leases.lifetime), settlement: settlement,
      quotes: quotes, changes: changes, leases: leases)
    tax = TaxService(database: database, clock: clock)
    payouts = PayoutService(dependencies: dependencies, ledger: settlement.ledger)
    payments = PaymentService(
      dependencies, settlement: settlement, outbox: outbox, quotes: quotes, tokens: tokens, changes: changes)
    providerEvents = ProviderEventService(
      dependencies: dependencies, settlement: settlement, changes: changes,
      key: secrets.key(for: StoreCore.sandboxProviderPurpose))
    sync = SyncService(database: database, records: records, changes: changes, leases: leases)
    attribution = AttributionService(dependencies, networkKey: secrets.key(for: "attribution-network"))
    events = EventService(
      database: database, clock: clock, retention: dependencies.configuration.attribution.eventRetention)
    vault = VaultService(dependencies)
    let codeGenerator = OneTimeCodeGenerator(key: secrets.key(for: "one-time-codes"))
    messages = MessageOutbox(dependencies, senders: dependencies.senders, codeGenerator: codeGenerator)
    logins = LoginService(dependencies, codeGenerator: codeGenerator, messages: messages)
    connectProvider()
    try await vault.prepare()
    try await reload()
  }

  /// The purpose of the key that signs the sandbox provider's events.
  static let sandboxProviderPurpose = "sandbox-provider"

  /// The key that signs the sandbox provider's events: for tools that play the provider themselves.
  public var sandboxProviderKey: SymmetricKey { secrets.key(for: Self.sandboxProviderPurpose) }

  /// Reads again what is kept in memory, changed or not.
  public func reload() async throws { try await caches.readAll() }

  /// Delivers everything that waits to leave the store and is due; what the running store does every second.
  public func deliverOutbox() async throws { try await outbox.drain() }

  /// How what waits to leave the store stands.
  public func outboxStatus() async throws -> OutboxStatus {
    let kinds = outbox.kinds
    return try await dependencies.database.read { try OutboxRecords().status(known: kinds, in: $0) }
  }

  /// Whether the vault's data is as it was left; false when a backup was put back, or the guard file is missing.
  public func isVaultCurrent() async throws -> Bool { try await vault.lossGuard.standing() != .restored }

  private func connectProvider() {
    let sandbox = SandboxPaymentProvider(dependencies: dependencies, events: providerEvents)
    let provider: any PaymentProvider =
      if let tracer = dependencies.tracer {
        TracedPaymentProvider(
          base: sandbox, call: TracedCall(tracer: tracer, system: SandboxPaymentProvider.name))
      } else { sandbox }
    // The payment service holds the outbox: held here, neither would ever be released, nor the database.
    outbox.register(PaymentOutboxKind.start, longestDelay: PaymentService.longestRetryDelay) { [weak payments] in
      guard let payments else { throw CancellationError() }
      try await payments.start($0, with: provider)
    }
    outbox.register(PaymentOutboxKind.confirm, longestDelay: PaymentService.longestRetryDelay) { [weak payments] in
      guard let payments else { throw CancellationError() }
      try await payments.confirm($0, with: provider)
    }
    outbox.register(PaymentOutboxKind.refund) { try await provider.refund(try PaymentOutboxKind.payment($0)) }
    outbox.register(PaymentOutboxKind.sandboxEvent) { try await sandbox.send($0) }
  }
}
