/// The services behind the pages.
extension HostedPages {
  /// The senders that the configuration names; `replacement` delivers instead of each of them.
  static func senders(_ dependencies: StoreDependencies, replacement: (any MessageSender)?) -> MessageSenders {
    var senders = MessageSenders(dependencies.configuration, clock: dependencies.clock)
    if let replacement {
      senders.phone = senders.phone.map { _ in replacement }
      senders.email = senders.email.map { _ in replacement }
    }
    return senders
  }

  static func outbox(
    _ dependencies: StoreDependencies, senders: MessageSenders, codeGenerator: OneTimeCodeGenerator
  ) -> MessageOutbox {
    MessageOutbox(
      database: dependencies.database, clock: dependencies.clock, codeGenerator: codeGenerator,
      senders: senders, storeName: dependencies.configuration.name,
      metrics: MessageMetrics(dependencies.metrics), logger: dependencies.logger)
  }

  static func logins(
    _ dependencies: StoreDependencies, codeGenerator: OneTimeCodeGenerator, outbox: MessageOutbox
  ) -> LoginService {
    LoginService(
      database: dependencies.database, clock: dependencies.clock, random: dependencies.random,
      codeGenerator: codeGenerator,
      limits: dependencies.configuration.codeLimits, metrics: CodeMetrics(dependencies.metrics),
      messageIsWaiting: { outbox.messageIsWaiting() })
  }

  static func responder(_ core: StoreCore) -> PageResponder {
    let dependencies = core.dependencies
    let configuration = dependencies.configuration
    return PageResponder(
      renderer: PageRenderer(storeName: configuration.name, isSandbox: configuration.environment == .sandbox),
      database: dependencies.database, clock: dependencies.clock, random: dependencies.random, address: core.address,
      key: core.secrets.key(for: "page-forms"), isBehindProxy: configuration.isBehindProxy)
  }
}
