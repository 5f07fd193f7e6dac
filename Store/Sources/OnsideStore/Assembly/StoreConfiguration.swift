public import Foundation
public import OnsideCommerce
public import StoreBase

/// The configuration of a store.
public struct StoreConfiguration: Sendable {
  /// The name of a sandbox without one of its own.
  public static let placeholderName = "Onside"

  /// The environment: sandbox or production.
  public var environment: StoreEnvironment = .sandbox
  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 takes a free one.
  public var port = 8080
  /// The store's public URL, without a slash at its end; nil derives it from host and port.
  public var publicURL: URL?
  /// True when a proxy in front adds `X-Forwarded-For`, which is then trusted.
  public var isBehindProxy = false
  /// Proxies in front of that one; see ``NetworkRange``.
  public var knownProxies: [NetworkRange] = []
  /// The listener for health checks and metrics.
  public var monitoring = MonitoringConfiguration()
  /// The region when neither an account nor a hint names one.
  public var defaultCountry: CountryCode = .netherlands
  /// The store's share of each sale, in hundredths of a percent.
  public var commissionBasisPoints: Int64 = 0
  /// How long an order waits for its payment, in seconds.
  public var orderLifetime: TimeInterval = 30 * 60
  /// The delivery lease: how long the device that delivers a consumable may be silent before another one may take it
  /// over, in seconds.
  public var deliveryLease: TimeInterval = 5 * 60
  /// The load limits of the process.
  public var limits = StoreLimits()
  /// The store's name on pages and in messages; production requires another one than ``placeholderName``.
  public var name = Self.placeholderName
  /// The legal entity that sells.
  public var seller = SellerConfiguration()
  /// Where buyers are.
  public var tax = TaxConfiguration()
  /// Text messages with codes.
  public var messages = MessageConfiguration()
  /// E-mails with codes.
  public var mail = MailConfiguration()
  /// The OpenID Connect providers that people can log in with.
  public var providers: [OpenIDProvider] = []
  /// The rate limits of codes.
  public var codeLimits = CodeLimits()
  /// Attribution: the matching of installations with visits of landing pages.
  public var attribution = AttributionConfiguration()
  /// Events that apps report.
  public var events = EventConfiguration()
  /// The vault of wallets.
  public var vault = VaultConfiguration()
  /// Logins with a wallet.
  public var wallet = WalletConfiguration()
  /// Traces of requests.
  public var tracing = TracingConfiguration()
  /// Payments.
  public var payments = PaymentConfiguration()

  /// The default: a sandbox on 127.0.0.1:8080.
  public init() {}
}

/// The load limits of one store process; requests beyond them are answered 429 or 503 with `Retry-After`.
public struct StoreLimits: Sendable {
  /// Requests of one network address; for IPv6, of its first 48 bits.
  public var perClient = RateLimit(perSecond: 500, burst: 1000)
  /// Logins that one network address begins by opening a page: each is a row in the database. Many people may share an
  /// address.
  public var loginsPerClient = RateLimit(perSecond: 10, burst: 500)
  /// Requests of one account.
  public var perAccount = RateLimit(perSecond: 100, burst: 400)
  /// Orders of one account in one app in 24 hours that are not paid, or are of a product that it owns.
  public var unpaidOrdersPerAccount = 200
  /// Requests being answered at once.
  public var requestsInFlight = 512
  /// Polls that wait for a change at once.
  public var waitingPolls = 10_000
  /// Polls of one account that wait at once; one more ends the oldest.
  public var waitingPollsPerAccount = 8
  /// Connections at once.
  public var connections = 12_000
  /// Connections of one network address at once; for IPv6, of its first 56 bits. Not behind a proxy.
  public var connectionsPerNetwork = 3000
  /// Timeout of the head of the first request on a new connection.
  public var headTimeout: Duration = .seconds(15)
  /// Timeout of a connection without a request, and of the next head.
  public var idleTimeout: Duration = .seconds(60)
  /// Timeout of a request from its head to the end of its body.
  public var bodyTimeout: Duration = .seconds(20)
  /// Timeout of a shutdown for requests in flight.
  public var stopTimeout: Duration = .seconds(10)

  /// The defaults.
  public init() {}
}
