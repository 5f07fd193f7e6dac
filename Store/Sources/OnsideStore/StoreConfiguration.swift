public import Foundation
public import OnsideCommerce

/// Whether money is real. Sandbox and production never mix; the environment is set by whoever runs the store.
public enum StoreEnvironment: String, Sendable, Codable, CaseIterable {
  /// Test cards, a clock that can be moved, no real money.
  case sandbox
  /// Real money.
  case production

  /// What receipts and histories say of it.
  var ofPurchases: PurchaseEnvironment {
    switch self {
    case .sandbox: .sandbox
    case .production: .production
    }
  }
}

/// How a store runs.
public struct StoreConfiguration: Sendable {
  /// Whether money is real.
  public var environment: StoreEnvironment = .sandbox
  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 takes a free one.
  public var port = 8080
  /// The address under which the world knows the store, without a slash at its end; nil derives it from host and port.
  public var publicURL: URL?
  /// True when a proxy in front adds `X-Forwarded-For`, which is then believed.
  public var isBehindProxy = false
  /// The region where neither an account nor a hint says one.
  public var defaultCountry: CountryCode = .netherlands
  /// The store's share of each sale, in hundredths of a percent.
  public var commissionBasisPoints: Int64 = 1000
  /// How long an order waits for its payment, in seconds.
  public var orderLifetime: TimeInterval = 30 * 60
  /// How long the device that has a consumable to deliver may be silent before another one may take it over, in
  /// seconds.
  public var deliveryLease: TimeInterval = 5 * 60
  /// What the process takes on.
  public var limits = StoreLimits()
  /// The store's name, as people see it.
  public var name = "Onside"
  /// How codes reach phones.
  public var messages = MessageConfiguration()
  /// How codes reach mailboxes.
  public var mail = MailConfiguration()
  /// Who else tells the store who people are, by OpenID Connect.
  public var providers: [OpenIDProvider] = []
  /// How many codes are sent, at most.
  public var codeLimits = CodeLimits()
  /// How visits of landing pages are joined with installations.
  public var attribution = AttributionConfiguration()
  /// How the vault of wallets is kept.
  public var vault = VaultConfiguration()
  /// How people log in with a wallet.
  public var wallet = WalletConfiguration()

  /// The default: a sandbox on 127.0.0.1:8080.
  public init() {}
}

/// What one store process takes on; beyond it answers 429 or 503 with `Retry-After`.
public struct StoreLimits: Sendable {
  /// Requests of one network address: of IPv6, of 48 bits of it.
  public var perClient = RateLimit(perSecond: 500, burst: 1000)
  /// Logins that one network address begins by opening a page: each is a row in the database. Many people may share an
  /// address.
  public var loginsPerClient = RateLimit(perSecond: 10, burst: 500)
  /// Requests of one account.
  public var perAccount = RateLimit(perSecond: 100, burst: 400)
  /// Requests being answered at once.
  public var requestsInFlight = 512
  /// Polls that wait for a change at once.
  public var waitingPolls = 10_000
  /// Polls of one account that wait at once; the oldest gives way.
  public var waitingPollsPerAccount = 8
  /// Connections at once.
  public var connections = 12_000
  /// How long a new connection may take to send the head of its first request.
  public var headTimeout: Duration = .seconds(15)
  /// How long a connection may stay without a request, and how long the next head may take.
  public var idleTimeout: Duration = .seconds(60)
  /// How long a request may take from its head to the end of its body.
  public var bodyTimeout: Duration = .seconds(20)
  /// How long a stop waits for requests in flight.
  public var stopTimeout: Duration = .seconds(10)

  /// The defaults.
  public init() {}
}
