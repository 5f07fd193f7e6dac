import Foundation
public import Hummingbird
import Logging
import OnsideAPI
public import ServiceLifecycle

/// Logins, tokens and everything that people see: what a ``StoreApplication`` needs beside its core.
public struct HostedPages: Sendable {
  /// The routes of logins, tokens and pages.
  public let groups: [any RouteGroup]
  /// What must run beside the server: the delivery of messages.
  public var services: [any Service] { [outbox] }

  package let outbox: MessageOutbox
  package let logins: LoginService
  let sessions: SessionService
  private let responder: PageResponder

  /// The pages of a store.
  ///
  /// - Parameter sender: delivers the codes of logins instead of those that the configuration names.
  public init(core: StoreCore, sender: (any MessageSender)? = nil) {
    let dependencies = core.dependencies
    let configuration = dependencies.configuration
    let isSandbox = configuration.environment == .sandbox
    var senders = MessageSenders(configuration, clock: dependencies.clock)
    if let sender {
      senders.phone = senders.phone.map { _ in sender }
      senders.email = senders.email.map { _ in sender }
    }
    let codeGenerator = OneTimeCodeGenerator(key: core.secrets.key(for: "one-time-codes"))
    let outbox = MessageOutbox(
      database: dependencies.database, clock: dependencies.clock, codeGenerator: codeGenerator,
      senders: senders, storeName: configuration.name,
      metrics: MessageMetrics(dependencies.metrics), logger: dependencies.logger)
    responder = PageResponder(
      renderer: PageRenderer(storeName: configuration.name, isSandbox: isSandbox), database: dependencies.database,
      clock: dependencies.clock, random: dependencies.random, address: core.address,
      key: core.secrets.key(for: "page-forms"), isBehindProxy: configuration.isBehindProxy)
    logins = LoginService(
      database: dependencies.database, clock: dependencies.clock, random: dependencies.random,
      codeGenerator: codeGenerator,
      limits: configuration.codeLimits, metrics: CodeMetrics(dependencies.metrics),
      messageIsWaiting: { outbox.messageIsWaiting() })
    sessions = SessionService(
      database: dependencies.database, clock: dependencies.clock, random: dependencies.random,
      accessToken: core.accessToken, ended: core.revokedSessions)
    self.outbox = outbox
    let responder = responder
    let providers = OpenIDLoginMethod.all(core, responder)
    let wallet = WalletLogin(core)
    let methods: [any LoginMethod] = providers + (wallet == nil ? [] : [WalletLoginMethod(responder: responder)])
    let login = LoginRoutes(
      responder: responder, logins: logins, apps: core.apps, defaultCountry: configuration.defaultCountry,
      channels: CodeChannels(senders), methods: methods, limiter: RateLimiter(configuration.limits.loginsPerClient))
    groups = [
      OAuthRoutes(sessions: sessions, apps: core.apps, address: core.address),
      AccountRoutes(accounts: AccountService(core: core)),
      login,
      OpenIDRoutes(login: login, providers: providers, clock: dependencies.clock),
      WalletPageRoutes(responder: responder, login: login, wallet: wallet),
      WalletRoutes(wallet: wallet, isBehindProxy: configuration.isBehindProxy),
      PaymentRoutes(
        responder: responder, payments: core.payments, orders: core.orders, apps: core.apps,
        storeName: configuration.name),
      PaymentMethodRoutes(responder: responder, logins: logins, payments: core.payments, apps: core.apps),
      ShopRoutes(
        responder: responder, apps: core.apps, catalogue: core.catalogue, orders: core.orders,
        defaultCountry: configuration.defaultCountry),
      LandingRoutes(responder: responder, apps: core.apps, attribution: core.attribution),
      AccountPageRoutes(
        responder: responder, accounts: AccountService(core: core), orders: core.orders, apps: core.apps,
        sessions: AccountSessions(core: core)),
      LoginMethodRoutes(responder: responder, logins: logins, accounts: AccountService(core: core), methods: methods),
      AccountDataRoutes(
        responder: responder, logins: logins, accounts: AccountService(core: core),
        export: AccountExport(
          database: dependencies.database, clock: dependencies.clock, address: core.address)),
      SiteRoutes(responder: responder, apps: core.apps, isSandbox: isSandbox),
    ]
  }

  /// The whole store with these pages.
  public func application(core: StoreCore) -> StoreApplication {
    StoreApplication(core: core, groups: groups, services: services, problemPage: problemPage)
  }

  /// Shows a problem to a person; give it to ``StoreApplication``.
  public func problemPage(_ problem: Problem, _ request: Request) -> Response {
    responder.problem(PageProblem(problem), for: request)
  }
}
