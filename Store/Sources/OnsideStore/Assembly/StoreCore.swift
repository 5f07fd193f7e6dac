public import StoreAccounts
import StoreAnalytics
public import StoreBase
public import StoreMerchants
import StorePayments
public import StoreSales
import StoreVault
public import StoreWeb

/// The services of the store, built once for each process. Commands use it directly; ``StoreApplication`` adds routes,
/// the server and background tasks.
public final class StoreCore: Sendable {
  /// The dependencies of the store.
  public let dependencies: StoreDependencies
  /// The public address of the store.
  public let address: PublicAddress
  /// Its secret keys.
  public let secrets: StoreSecrets
  /// Access tokens.
  public let accessToken: VersionedKey<AccessTokenIssuer>
  /// The sessions whose access tokens are refused before they expire.
  let revokedSessions: RevokedSessions
  /// The registered apps.
  public let apps: AppDirectory
  /// The API keys of merchants.
  public let apiKeys: APIKeyService
  /// The merchant ids of the apps, and their secrets.
  package let merchantSecrets: MerchantSecretService
  /// The endpoints of webhooks.
  package var webhooks: WebhookService { WebhookService(dependencies.base, secrets: secrets) }
  /// Sends events to the endpoints.
  package let webhookDeliveries: WebhookDeliveries
  /// The catalogues of the apps.
  public let catalogue: CatalogueService
  /// The offerings: groups of products that operators define.
  public var offerings: OfferingService {
    OfferingService(database: dependencies.database, clock: dependencies.clock, catalogue: catalogue)
  }
  /// Codes of offers.
  public var offerCodes: OfferCodeService { OfferCodeService(dependencies.base, catalogue: catalogue) }
  /// The apps' keys for promotional offers.
  public var offerKeys: OfferKeys { OfferKeys(dependencies.base) }
  /// The keys that sign receipts and histories.
  public let signingKeys: SigningKeys
  /// Orders.
  public let orders: OrderService
  /// Tax rates.
  public let tax: TaxService
  /// Payouts to apps.
  public let payouts: PayoutService
  /// Payments, and the pages for them.
  public let payments: PaymentService
  /// Refunds of paid orders.
  public let refunds: RefundService
  /// Grants of the operator.
  public let grants: GrantService
  /// Subscriptions.
  public let subscriptions: SubscriptionService
  /// Buyers' requests for refunds.
  public let refundRequests: BuyerRefundRequestService
  /// Wakes waiting polls.
  public let changes: ChangeHub
  /// The readiness of this process for requests.
  let readiness: Readiness
  let deadlines: DeadlineTimer
  /// The feed of merchants' events.
  package let eventFeed: EventFeed
  /// Numbers receipts and events after the commits of their sales.
  package let sequencer: Sequencer
  let outbox: Outbox
  /// The payment providers.
  let providers: PaymentProviders
  let providerEvents: ProviderEventService
  let sync: SyncService
  let attribution: AttributionService
  let events: EventService
  let vault: VaultService
  /// The steps of a login.
  package let logins: LoginService
  /// Delivers the codes of logins.
  package let messages: MessageOutbox
  /// The caches of data that other processes may change.
  let caches: Caches

  /// Reads the settings of the database and builds the services.
  public convenience init(_ dependencies: StoreDependencies) async throws {
    try await self.init(dependencies, providers: BuiltInProviders.factories(dependencies.configuration))
  }

  /// - Parameter providers: the factories of payment providers; the first one takes new payments.
  init(_ dependencies: StoreDependencies, providers factories: [PaymentProviderFactory]) async throws {
    precondition(!factories.isEmpty, "a store needs a payment provider")
    self.dependencies = dependencies
    dependencies.database.observeCommits(CommitMetrics(dependencies.metrics).count)
    let (base, configuration) = (dependencies.base, dependencies.configuration)
    let (database, clock, environment) = (base.database, base.clock, base.environment)
    address = PublicAddress(configuration)
    try await Self.prepareDatabase(dependencies)
    try await ServedAddress(database: database).read().map(address.adopt)
    secrets = try await StoreSecrets.load(base)
    accessToken = secrets.versions(of: "access-token") { AccessTokenIssuer(key: $0) }
    revokedSessions = RevokedSessions(database: database, clock: clock)
    apps = AppDirectory(database: database, clock: clock, removal: Self.removeServers)
    apiKeys = APIKeyService(base, apps: apps)
    merchantSecrets = MerchantSecretService(base, secrets: secrets, apps: apps)
    catalogue = CatalogueService(database: database, clock: clock)
    signingKeys = SigningKeys(base)
    deadlines = DeadlineTimer(clock: clock)
    readiness = Readiness(dependencies, keys: signingKeys, deadlines: deadlines)
    changes = ChangeHub(
      deadlines: deadlines, limitPerAccount: configuration.limits.waitingPollsPerAccount,
      relay: database.wakeRelay)
    (eventFeed, webhookDeliveries, sequencer) = Self.merchantEvents(dependencies, secrets, deadlines: deadlines)
    outbox = Outbox(base, isSuspended: ChargeSuspension.suspends)
    let sales = SalesConfiguration(dependencies)
    let settlement = Self.settlement(dependencies, sales, secrets, keys: signingKeys)
    let records = settlement.orders
    providerEvents = ProviderEventService(
      dependencies: base, payments: settlement.payments, events: settlement.events, changes: changes)
    providers = Self.providers(factories, dependencies, secrets, address: address, events: providerEvents)
    let tokens = secrets.versions(of: "payment-page") { PaymentToken(key: $0) }
    caches = Self.caches(
      base, apps: apps, catalogue: catalogue, keys: signingKeys, secrets: secrets, revokedSessions: revokedSessions)
    let quotes = QuoteCache(catalogue, orders: records, caches: caches, database: database)
    let leases = DeliveryLeases(
      database: database, records: records, clock: clock, environment: environment, lifetime: sales.deliveryLease)
    refunds = RefundService(
      base, orders: records, payments: settlement.payments, settlement: settlement.refunds,
      events: settlement.events, changes: changes)
    orders = OrderService(
      base, configuration: sales, settlement: settlement, tokens: tokens, keys: signingKeys, address: address,
      refunds: refunds, provider: providers.active.name, quotes: quotes, changes: changes, leases: leases)
    grants = GrantService(
      base, orders: records, grants: settlement.grants, quotes: quotes, changes: changes)
    refundRequests = BuyerRefundRequestService(base, orders: records)
    subscriptions = SubscriptionService(
      base, settlement: settlement, providers: providers, catalogue: catalogue, quotes: quotes, changes: changes)
    tax = TaxService(database: database, clock: clock)
    payouts = PayoutService(dependencies: base, ledger: settlement.ledger)
    payments = PaymentService(
      base, configuration: sales, settlement: settlement, providers: providers, outbox: outbox, quotes: quotes,
      tokens: tokens, changes: changes)
    sync = SyncService(
      database: database, records: records, changes: changes, leases: leases, environment: environment)
    attribution = AttributionService(
      base, configuration: configuration.attribution,
      networkKey: secrets.permanentKey(for: "attribution-network"))
    events = EventService(
      database: database, clock: clock, retention: configuration.attribution.eventRetention,
      configuration: configuration.events)
    vault = VaultService(
      base, configuration: configuration.vault, metrics: VaultMetrics(dependencies.metrics))
    (logins, messages) = Self.logins(
      dependencies, secrets, sessions: AccountSessions(base, changes: changes, revokedSessions: revokedSessions))
    connectOutbox(records)
    try await vault.prepare()
    try await reload()
  }

  /// Removes the credentials and endpoints of an app's servers with the app.
  private static func removeServers(of app: String, in transaction: StoreTransaction) throws {
    try APIKeyService.removeAll(of: app, in: transaction)
    try MerchantSecretService.removeAll(of: app, in: transaction)
    try WebhookService.removeAll(of: app, in: transaction)
  }

  /// Builds the feed of merchants' events, the deliveries to endpoints, and the numbering, which wakes both.
  private static func merchantEvents(
    _ dependencies: StoreDependencies, _ secrets: StoreSecrets, deadlines: DeadlineTimer
  ) -> (EventFeed, WebhookDeliveries, Sequencer) {
    let base = dependencies.base
    let feed = EventFeed(base, polls: PollHub(deadlines: deadlines, limitPerKey: EventFeed.waitingPolls))
    let deliveries = WebhookDeliveries(
      base, secrets: secrets, sender: WebhookSender(isSandbox: base.environment == .sandbox))
    let numbers = EventNumbers(polls: feed.polls) { deliveries.wake() }
    return (feed, deliveries, Sequencer(base, rows: [ReceiptNumbers(), numbers]))
  }

  /// The cached data of this process, with their reloads.
  private static func caches(
    _ base: BaseDependencies, apps: AppDirectory, catalogue: CatalogueService, keys: SigningKeys,
    secrets: StoreSecrets, revokedSessions: RevokedSessions
  ) -> Caches {
    Caches(
      database: base.database, clock: base.clock,
      reloads: [
        .apps: apps.reload, .catalogue: catalogue.reload, .signingKeys: keys.reload,
        .sandboxClock: SandboxClockSetting(base).reload, .secrets: secrets.reload,
        .revokedSessions: revokedSessions.reload,
      ])
  }

  /// Builds the payment providers, which report to `events`.
  private static func providers(
    _ factories: [PaymentProviderFactory], _ dependencies: StoreDependencies, _ secrets: StoreSecrets,
    address: PublicAddress, events: ProviderEventService
  ) -> PaymentProviders {
    let assembly = ProviderAssembly(
      dependencies: dependencies.base, secrets: secrets, address: address,
      receive: { try await events.receive($0, from: $1) })
    return PaymentProviders(factories.map { $0(assembly) }).traced(by: dependencies.tracer)
  }

  /// Builds the login service and the delivery of its codes.
  private static func logins(
    _ dependencies: StoreDependencies, _ secrets: StoreSecrets, sessions: AccountSessions
  ) -> (LoginService, MessageOutbox) {
    let (base, configuration) = (dependencies.base, dependencies.configuration)
    let codeGenerator = secrets.versions(of: "one-time-codes") { OneTimeCodeGenerator(key: $0) }
    let messages = MessageOutbox(
      base, storeName: configuration.name, metrics: MessageMetrics(dependencies.metrics),
      senders: dependencies.senders, codeGenerator: codeGenerator)
    let logins = LoginService(
      base, limits: configuration.codeLimits, metrics: CodeMetrics(dependencies.metrics),
      codeGenerator: codeGenerator, messages: messages, sessions: sessions)
    return (logins, messages)
  }

  /// Checks the environment of the database, and updates its rows to this version's format.
  private static func prepareDatabase(_ dependencies: StoreDependencies) async throws {
    try await DatabaseEnvironment(dependencies.configuration.environment).check(dependencies.database)
    try await SyncEpoch.begin(dependencies.database, dependencies.random)
    try await NumberCorrection(database: dependencies.database).run()
  }

  private static func settlement(
    _ dependencies: StoreDependencies, _ configuration: SalesConfiguration, _ secrets: StoreSecrets, keys: SigningKeys
  ) -> SettlementAssembly {
    let records = OrderRecords(
      products: OrderedProducts(), metrics: PurchaseMetrics(dependencies.metrics),
      deletedSubscribers: DeletedSubscriberRecords(key: secrets.permanentKey(for: "deleted-subscribers")))
    return SettlementAssembly(
      dependencies.base, configuration: configuration, orders: records, keys: keys,
      renewalIDs: DerivedID(key: secrets.permanentKey(for: "renewal-ids")), providerStep: BuiltInProviders.step)
  }

  /// The tokens of one kind of hosted page. Each kind has its own purpose, so that an address of one kind is invalid
  /// for another.
  func hostedPages(_ folder: String) -> VersionedKey<HostedPageToken> {
    secrets.versions(of: "\(folder)-page") { HostedPageToken(key: $0) }
  }

  /// Reloads all caches.
  public func reload() async throws { try await caches.readAll() }

  /// Delivers all due outbox rows, as the running store does every second.
  public func deliverOutbox() async throws { try await outbox.drain() }

  /// Returns the state of the outbox.
  public func outboxStatus() async throws -> OutboxStatus {
    let (kinds, now) = (outbox.kinds, dependencies.clock.now())
    return try await dependencies.database.read { try OutboxRecords().status(known: kinds, at: now, in: $0) }
  }

  /// Returns whether the vault's data is current; false after a restore, or without the guard file.
  public func isVaultCurrent() async throws -> Bool { try await vault.lossGuard.standing() != .restored }
}
