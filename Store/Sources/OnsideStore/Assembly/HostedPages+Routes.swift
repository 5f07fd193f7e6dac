/// The route groups by domain.
extension HostedPages {
  private var configuration: StoreConfiguration { core.dependencies.configuration }

  /// The login methods beside codes.
  private var loginMethods: [any LoginMethod] {
    providers + (wallet == nil ? [] : [WalletLoginMethod(responder: responder)])
  }

  /// What apps call: tokens, and the account of a token.
  var apiRoutes: [any RouteGroup] {
    let sessions = SessionService(
      database: core.dependencies.database, clock: core.dependencies.clock, random: core.dependencies.random,
      accessToken: core.accessToken, revokedSessions: core.revokedSessions)
    return [
      OAuthRoutes(sessions: sessions, apps: core.apps, address: core.address),
      AccountRoutes(accounts: accounts),
    ]
  }

  /// Logins with codes, providers and wallets.
  var loginRoutes: [any RouteGroup] {
    let login = LoginRoutes(
      responder: responder, logins: logins, apps: core.apps, defaultCountry: configuration.defaultCountry,
      channels: channels, methods: loginMethods, limiter: RateLimiter(configuration.limits.loginsPerClient))
    return [
      login,
      OpenIDRoutes(login: login, providers: providers, clock: core.dependencies.clock),
      WalletPageRoutes(responder: responder, login: login, wallet: wallet),
      WalletRoutes(wallet: wallet, isBehindProxy: configuration.isBehindProxy),
    ]
  }

  /// Payment pages, receipts and stored payment methods.
  var paymentRoutes: [any RouteGroup] {
    [
      PaymentRoutes(
        responder: responder, payments: core.payments, orders: core.orders, apps: core.apps,
        storeName: configuration.name),
      PaymentMethodRoutes(responder: responder, logins: logins, payments: core.payments, apps: core.apps),
    ]
  }

  /// The web shop and the landing pages of apps.
  var shopRoutes: [any RouteGroup] {
    [
      ShopRoutes(
        responder: responder, apps: core.apps, catalogue: core.catalogue, orders: core.orders,
        defaultCountry: configuration.defaultCountry),
      LandingRoutes(responder: responder, apps: core.apps, attribution: core.attribution),
    ]
  }

  /// The pages of an account.
  var accountRoutes: [any RouteGroup] {
    [
      AccountPageRoutes(
        responder: responder, accounts: accounts, orders: core.orders, apps: core.apps,
        sessions: AccountSessions(core: core)),
      LoginMethodRoutes(responder: responder, logins: logins, accounts: accounts, methods: loginMethods),
      AccountDataRoutes(
        responder: responder, logins: logins, accounts: accounts,
        export: AccountExport(
          database: core.dependencies.database, clock: core.dependencies.clock, address: core.address)),
    ]
  }

  /// The front page and the files of the pages.
  var siteRoutes: [any RouteGroup] {
    [SiteRoutes(responder: responder, apps: core.apps, isSandbox: configuration.environment == .sandbox)]
  }
}
