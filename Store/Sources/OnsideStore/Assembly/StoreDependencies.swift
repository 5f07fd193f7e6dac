public import Logging
public import StoreAccounts
public import StoreBase
public import StoreWeb

/// The dependencies of a store: clock, randomness, database, log, configuration, metrics, senders of codes. None is
/// global.
public struct StoreDependencies: Sendable {
  /// The time, which a sandbox may move forward.
  public let clock: SandboxClock
  /// Randomness.
  public let random: any RandomSource
  /// The data.
  public let database: any Database
  /// The log; no personal data and no secret goes there.
  public let logger: Logger
  /// How the store runs.
  public let configuration: StoreConfiguration
  /// The store's metrics.
  public let metrics: PrometheusMetrics
  /// What delivers the codes of logins.
  let senders: MessageSenders
  /// Records requests; nil when they are not traced.
  let tracer: StoreTracer?

  /// What the store is given.
  ///
  /// - Parameter sender: delivers the codes of logins instead of each sender that the configuration names.
  public init(
    clock: any StoreClock = SystemClock(), random: any RandomSource = SystemRandom(), database: any Database,
    logger: Logger, configuration: StoreConfiguration = StoreConfiguration(),
    metrics: PrometheusMetrics = PrometheusMetrics(), sender: (any MessageSender)? = nil
  ) {
    self.clock = SandboxClock(clock)
    self.random = random
    self.database = database
    self.logger = logger
    self.configuration = configuration
    self.metrics = metrics
    tracer = StoreTracer(configuration, clock: self.clock, random: random, logger: logger, metrics: metrics)
    senders = MessageSenders(
      configuration.messages, configuration.mail, clock: self.clock, replacement: sender
    ).traced(by: tracer)
  }

  /// True if receipts go out by e-mail.
  var mailsReceipts: Bool { senders.email != nil }

  /// The part of these dependencies that needs no configuration.
  package var base: BaseDependencies {
    BaseDependencies(
      environment: configuration.environment, clock: clock, random: random, database: database, logger: logger)
  }
}
