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
  private let desk: PageDesk

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
    let mint = CodeMint(key: core.secrets.key(for: "one-time-codes"))
    let outbox = MessageOutbox(
      database: dependencies.database, clock: dependencies.clock, mint: mint,
      senders: senders, storeName: configuration.name,
      measures: MessageMeasures(dependencies.metrics), logger: dependencies.logger)
    desk = PageDesk(
      renderer: PageRenderer(storeName: configuration.name, isSandbox: isSandbox), database: dependencies.database,
      clock: dependencies.clock, random: dependencies.random, address: core.address,
      key: core.secrets.key(for: "page-forms"), isBehindProxy: configuration.isBehindProxy)
    logins = LoginService(
      database: dependencies.database, clock: dependencies.clock, random: dependencies.random, mint: mint,
      limits: configuration.codeLimits, measures: CodeMeasures(dependencies.metrics),
      messageIsWaiting: { outbox.messageIsWaiting() })
    sessions = SessionService(
      database: dependencies.database, clock: dependencies.clock, random: dependencies.random,
      accessToken: core.accessToken, ended: core.endedSessions)
    self.outbox = outbox
    let desk = desk
    let providers = OpenIDWay.all(core, desk)
    let wallet = WalletLogin(core)
    let ways: [any LoginWay] = providers + (wallet == nil ? [] : [WalletWay(desk: desk)])
    let login = LoginRoutes(
      desk: desk, logins: logins, apps: core.apps, defaultCountry: configuration.defaultCountry,
      methods: LoginMethods(senders), ways: ways, limiter: RateLimiter(configuration.limits.loginsPerClient))
    groups = [
      OAuthRoutes(sessions: sessions, apps: core.apps, address: core.address),
      AccountRoutes(accounts: AccountService(core: core)),
      login,
      OpenIDRoutes(login: login, providers: providers, clock: dependencies.clock),
      WalletPageRoutes(desk: desk, login: login, wallet: wallet),
      WalletRoutes(wallet: wallet, isBehindProxy: configuration.isBehindProxy),
      PaymentRoutes(
        desk: desk, payments: core.payments, orders: core.orders, apps: core.apps, storeName: configuration.name),
      MethodsRoutes(desk: desk, logins: logins, payments: core.payments, apps: core.apps),
      ShopRoutes(
        desk: desk, apps: core.apps, catalogue: core.catalogue, orders: core.orders,
        defaultCountry: configuration.defaultCountry),
      LandingRoutes(desk: desk, apps: core.apps, attribution: core.attribution),
      AccountPageRoutes(
        desk: desk, accounts: AccountService(core: core), orders: core.orders, apps: core.apps,
        sessions: AccountSessions(core: core)),
      LoginsRoutes(desk: desk, logins: logins, accounts: AccountService(core: core), ways: ways),
      AccountDataRoutes(
        desk: desk, logins: logins, accounts: AccountService(core: core),
        export: AccountExport(
          database: dependencies.database, clock: dependencies.clock, address: core.address)),
      SiteRoutes(desk: desk, apps: core.apps, isSandbox: isSandbox),
    ]
  }

  /// The whole store with these pages.
  public func application(core: StoreCore) -> StoreApplication {
    StoreApplication(core: core, groups: groups, services: services, problemPage: problemPage)
  }

  /// Shows a problem to a person; give it to ``StoreApplication``.
  public func problemPage(_ problem: Problem, _ request: Request) -> Response {
    desk.problem(PageProblem(problem), for: request)
  }
}
