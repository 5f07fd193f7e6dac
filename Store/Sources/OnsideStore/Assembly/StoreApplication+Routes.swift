import StoreAccounts
import StoreAnalytics
import StoreBase
import StoreMerchants
import StorePayments
import StoreSales
import StoreVault
import StoreWeb

/// Every route of the store. A new group of routes goes into one of these lists.
extension StoreApplication {
  static func routes(_ core: StoreCore, _ pages: PageResponder) -> [any RouteGroup] {
    apiRoutes(core) + oauthRoutes(core) + loginRoutes(core, pages) + shopRoutes(core, pages)
      + accountRoutes(core, pages)
  }

  /// The routes of balancers and of Prometheus.
  static func monitoringRoutes(_ core: StoreCore) -> [any RouteGroup] {
    let dependencies = core.dependencies
    return [
      HealthRoutes(database: dependencies.database, readiness: core.readiness),
      MetricsRoutes(
        metrics: dependencies.metrics, changes: core.changes, feed: core.eventFeed,
        gauges: StoreGauges(
          dependencies, readiness: core.readiness, deadlines: core.deadlines, kinds: core.outbox.kinds)),
    ]
  }

  /// The same on the clients' listener: the health checks, and in a sandbox without a listener for them the metrics,
  /// which show strangers the sales of a store.
  private static func publicMonitoringRoutes(_ core: StoreCore) -> [any RouteGroup] {
    let configuration = core.dependencies.configuration
    guard configuration.monitoring.port != nil || configuration.environment == .production else {
      return monitoringRoutes(core)
    }
    return [HealthRoutes(database: core.dependencies.database, readiness: core.readiness)]
  }

  /// The routes of apps and of servers.
  private static func apiRoutes(_ core: StoreCore) -> [any RouteGroup] {
    let dependencies = core.dependencies
    let purchases = PurchaseRecords(
      products: core.orders.records.products, environment: dependencies.configuration.environment)
    let customers = CustomerService(dependencies.base, products: purchases.products)
    return publicMonitoringRoutes(core) + [
      ProblemRoutes(),
      KeyRoutes(keys: core.signingKeys),
      AccountRoutes(accounts: core.accounts),
      ProductRoutes(
        apps: core.apps, catalogue: core.catalogue, orders: core.orders.records, dependencies: dependencies.base,
        defaultCountry: dependencies.configuration.defaultCountry),
      OfferingRoutes(offerings: core.offerings),
      OrderRoutes(orders: core.orders),
      SyncRoutes(sync: core.sync, json: core.orders.json, clock: dependencies.clock),
      HistoryRoutes(dependencies: dependencies.base, records: purchases, keys: core.signingKeys),
      EntitlementRoutes(
        entitlements: EntitlementService(dependencies.base, purchases: purchases), keys: core.signingKeys),
      SubscriptionRoutes(dependencies: dependencies.base, catalogue: core.catalogue, orders: core.orders.records),
      ProviderRoutes(events: core.providerEvents, providers: core.providers),
      AttributionRoutes(
        attribution: core.attribution, clock: dependencies.clock, proxies: dependencies.configuration.proxies),
      CustomerRoutes(customers: customers, keys: core.signingKeys),
      EventRoutes(events: core.events, proxies: dependencies.configuration.proxies),
      MerchantOrderRoutes(dependencies: dependencies.base),
      MerchantHistoryRoutes(
        histories: MerchantHistoryService(dependencies.base, purchases: purchases, keys: core.signingKeys)),
      FeedRoutes(feed: core.eventFeed),
      MerchantActRoutes(
        acts: MerchantActs(
          dependencies.base, refunds: core.refunds, grants: core.grants, subscriptions: core.subscriptions,
          customers: customers)),
      VaultRoutes(vault: core.vault, clock: dependencies.clock, proxies: dependencies.configuration.proxies),
    ]
  }

  /// The authorization server; the pages of a login begin at its `/oauth/authorize`.
  private static func oauthRoutes(_ core: StoreCore) -> [any RouteGroup] {
    [OAuthRoutes(sessions: core.sessions, apps: core.apps, address: core.address)]
  }

  /// Logins with codes, providers and wallets, and the login methods of an account.
  private static func loginRoutes(_ core: StoreCore, _ pages: PageResponder) -> [any RouteGroup] {
    let configuration = core.dependencies.configuration
    let base = core.dependencies.base
    let requests = OpenIDRequests(
      database: base.database, random: base.random, keys: core.secrets.keys(for: "openid"), address: core.address)
    let providers = OpenIDLoginMethod.all(
      configuration.providers, requests: requests, responder: pages, clock: base.clock, logger: base.logger)
    let wallet = core.wallet
    let methods: [any LoginMethod] = providers + (wallet == nil ? [] : [WalletLoginMethod(responder: pages)])
    let login = LoginRoutes(
      responder: pages, logins: core.logins, apps: core.apps, defaultCountry: configuration.defaultCountry,
      channels: CodeChannels(core.dependencies.senders), methods: methods,
      limiter: RateLimiter(configuration.limits.loginsPerClient))
    return [
      login,
      OpenIDRoutes(login: login, providers: providers, clock: core.dependencies.clock),
      WalletPageRoutes(responder: pages, login: login, wallet: wallet),
      WalletRoutes(wallet: wallet, proxies: configuration.proxies),
      LoginMethodRoutes(
        responder: pages, logins: core.logins, accounts: core.accounts, methods: methods),
    ]
  }

  /// Pages where things are sold and paid.
  private static func shopRoutes(_ core: StoreCore, _ pages: PageResponder) -> [any RouteGroup] {
    let configuration = core.dependencies.configuration
    return [
      SiteRoutes(
        responder: pages, apps: core.apps, isSandbox: configuration.environment == .sandbox,
        scripts: core.providers.all.flatMap(\.traits.scripts)),
      LandingRoutes(responder: pages, apps: core.apps, attribution: core.attribution),
      ShopRoutes(
        responder: pages, apps: core.apps, catalogue: core.catalogue, orders: core.orders,
        defaultCountry: configuration.defaultCountry),
      RedeemRoutes(
        responder: pages, redemption: OfferCodeRedemption(orders: core.orders), apps: core.apps,
        screen: screen("redeem", core, pages)),
      PaymentRoutes(
        responder: pages, payments: core.payments, logins: core.logins, apps: core.apps, storeName: configuration.name,
        countryHeader: configuration.tax.countryHeader),
      ReceiptRoutes(
        responder: pages, orders: core.orders, subscriptions: core.subscriptions, apps: core.apps,
        storeName: configuration.name, seller: configuration.seller, sequencer: core.sequencer),
    ]
  }

  /// Pages of an account.
  private static func accountRoutes(_ core: StoreCore, _ pages: PageResponder) -> [any RouteGroup] {
    [
      PaymentMethodRoutes(
        responder: pages, logins: core.logins, payments: core.payments, subscriptions: core.subscriptions,
        apps: core.apps),
      AccountPageRoutes(
        responder: pages, accounts: core.accounts, orders: core.orders, subscriptions: core.subscriptions,
        apps: core.apps, sessions: core.logins.sessions),
      SubscriptionPageRoutes(
        responder: pages, subscriptions: core.subscriptions, orders: core.orders, payments: core.payments,
        apps: core.apps, seal: seal(core)),
      SubscriptionScreenRoutes(
        responder: pages, subscriptions: core.subscriptions, orders: core.orders, apps: core.apps,
        screen: screen("subscriptions", core, pages)),
      RefundPageRoutes(
        responder: pages, requests: core.refundRequests, orders: core.orders, apps: core.apps,
        tokens: core.hostedPages("refund")),
      AccountDataRoutes(
        responder: pages, logins: core.logins, accounts: core.accounts, export: core.accountExport),
    ]
  }

  /// A screen that apps open at `/FOLDER/TOKEN`.
  private static func screen(_ folder: String, _ core: StoreCore, _ pages: PageResponder) -> HostedScreen {
    HostedScreen(
      folder: folder, tokens: core.hostedPages(folder),
      seal: seal(core), responder: pages, logins: core.logins, apps: core.apps)
  }

  private static func seal(_ core: StoreCore) -> AccountTokenSeal {
    AccountTokenSeal(secrets: core.secrets, random: core.dependencies.random)
  }
}
