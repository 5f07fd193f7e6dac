public import Foundation
public import OnsideCommerce
public import StoreAccounts
public import StoreAnalytics
public import StoreBase
public import StoreSales
public import StoreVault
public import StoreWeb

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

extension StoreConfiguration {
  var proxies: Proxies { Proxies(areInFront: isBehindProxy, known: knownProxies) }
}

extension PublicAddress {
  /// The address of a store with this configuration.
  convenience init(_ configuration: StoreConfiguration) {
    self.init(configuration.publicURL, host: configuration.host, port: configuration.port)
  }
}
