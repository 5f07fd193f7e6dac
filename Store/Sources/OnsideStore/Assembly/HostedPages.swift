public import Hummingbird
public import ServiceLifecycle

/// The routes of logins, tokens and pages, and their services: what a ``StoreApplication`` needs beside its core.
public struct HostedPages: Sendable {
  /// The routes of logins, tokens and pages.
  public private(set) var groups: [any RouteGroup] = []
  /// What must run beside the server: the delivery of messages.
  public var services: [any Service] { [outbox] }

  package let outbox: MessageOutbox
  package let logins: LoginService
  let core: StoreCore
  let responder: PageResponder
  let accounts: AccountService
  /// The code channels that have a sender.
  let channels: CodeChannels
  /// The OpenID Connect providers that people can log in with.
  let providers: [OpenIDLoginMethod]
  /// Nil when the configuration does not offer wallets.
  let wallet: WalletLogin?

  /// The pages of a store.
  ///
  /// - Parameter sender: delivers the codes of logins instead of those that the configuration names.
  public init(core: StoreCore, sender: (any MessageSender)? = nil) {
    self.core = core
    let senders = Self.senders(core.dependencies, replacement: sender)
    let codeGenerator = OneTimeCodeGenerator(key: core.secrets.key(for: "one-time-codes"))
    let outbox = Self.outbox(core.dependencies, senders: senders, codeGenerator: codeGenerator)
    self.outbox = outbox
    logins = Self.logins(core.dependencies, codeGenerator: codeGenerator, outbox: outbox)
    responder = Self.responder(core)
    accounts = AccountService(core: core)
    channels = CodeChannels(senders)
    providers = OpenIDLoginMethod.all(core, responder)
    wallet = WalletLogin(core)
    groups = apiRoutes + loginRoutes + paymentRoutes + shopRoutes + accountRoutes + siteRoutes
  }

  /// The whole store with these pages.
  ///
  /// - Parameter more: further routes.
  public func application(adding more: [any RouteGroup] = []) -> StoreApplication {
    StoreApplication(core: core, groups: more + groups, services: services, problemPage: problemPage)
  }

  /// Shows a problem to a person; give it to ``StoreApplication``.
  public func problemPage(_ problem: Problem, _ request: Request) -> Response {
    responder.problem(PageProblem(problem), for: request)
  }
}
