import Logging
import OnsideCommerce
import StoreAccounts
import StoreAnalytics
import StoreBase
import StoreSales
import StoreStripe
import StoreVault
import StoreWeb

extension ServeConfiguration {
  /// Every key, in the order in which the manual and `--check-config` show them. `docs/operating.md` describes each.
  static let keys: [ConfigurationKey<ServeConfiguration>] = groups.flatMap(\.self)

  private static let groups: [[ConfigurationKey<ServeConfiguration>]] = [
    general, monitoring,
    part(SellerConfiguration.keys, at: \.store.seller),
    part(TaxConfiguration.keys, at: \.store.tax),
    log,
    part(StoreLimits.keys, at: \.store.limits),
    part(MessageConfiguration.keys, at: \.store.messages),
    part(MailConfiguration.keys, at: \.store.mail),
    part(CodeLimits.keys, at: \.store.codeLimits),
    part(AttributionConfiguration.keys, at: \.store.attribution),
    part(EventConfiguration.keys, at: \.store.events),
    part(VaultConfiguration.keys, at: \.store.vault),
    part(WalletConfiguration.keys, at: \.store.wallet),
    part(TracingConfiguration.keys, at: \.store.tracing),
    payments,
    part(StripeConfiguration.keys, at: \.store.payments.stripe),
  ]

  /// The keys of an OpenID provider.
  static func openIDKeys(_ id: String) -> [ConfigurationKey<ServeConfiguration>] {
    part(OpenIDProvider.keys(id), at: \.store.providers)
  }

  /// The keys of a part, as keys of the whole.
  private static func part<Part>(
    _ keys: [ConfigurationKey<Part>], at path: any WritableKeyPath<ServeConfiguration, Part> & Sendable
  ) -> [ConfigurationKey<ServeConfiguration>] {
    keys.map { $0.within(path) }
  }

  private static let general: [ConfigurationKey<ServeConfiguration>] = [
    ConfigurationKey("environment", path: \.store.environment, kind: .choice(of: StoreEnvironment.allCases)),
    ConfigurationKey("name", path: \.store.name, kind: .text("the name that people see, such as \"Onside\"")),
    ConfigurationKey("database", path: \.database, kind: .database),
    ConfigurationKey("host", path: \.store.host, kind: .host),
    ConfigurationKey("port", path: \.store.port, kind: .wholeNumber(0...65535)),
    ConfigurationKey("public_url", path: \.store.publicURL, kind: .publicAddress),
    ConfigurationKey("behind_proxy", path: \.store.isBehindProxy, kind: .flag),
    ConfigurationKey("proxies", path: \.store.knownProxies, kind: .networks),
    ConfigurationKey("default_country", path: \.store.defaultCountry, kind: .country),
    ConfigurationKey(
      "commission", path: \.store.commissionBasisPoints, kind: .wholeNumber(0...10_000),
      unit: "hundredths of a percent"),
    ConfigurationKey("order_lifetime", path: \.store.orderLifetime, kind: .seconds(60...86_400), unit: "seconds"),
    ConfigurationKey("delivery_lease", path: \.store.deliveryLease, kind: .seconds(120...86_400), unit: "seconds"),
  ]

  private static let monitoring: [ConfigurationKey<ServeConfiguration>] = [
    ConfigurationKey("monitoring.host", path: \.store.monitoring.host, kind: .host),
    ConfigurationKey("monitoring.port", path: \.store.monitoring.port, kind: .optionalPort),
  ]

  private static let log: [ConfigurationKey<ServeConfiguration>] = [
    ConfigurationKey("log.level", path: \.logLevel, kind: .choice(of: Logger.Level.allCases)),
    ConfigurationKey("log.format", path: \.logFormat, kind: .choice(of: LogFormat.allCases)),
  ]

  private static let payments: [ConfigurationKey<ServeConfiguration>] = [
    ConfigurationKey(
      "payments.provider", path: \.store.payments.provider, kind: .choice(of: PaymentConfiguration.Provider.allCases))
  ]
}

extension ConfigurationKey<ServeConfiguration> {
  /// The default in the file's notation; nil when there is none.
  var defaultLiteral: String? { literal(ServeConfiguration()) }
}

extension ConfigurationKind<Int?> {
  fileprivate static let optionalPort = ConfigurationKind(
    expected: "a whole number from 1 to 65535",
    parse: { value in value.integer.flatMap { 1...65535 ~= $0 ? $0 : nil } }, literal: { $0.map { "\($0)" } })
}

extension ConfigurationKind<CountryCode> {
  fileprivate static let country = ConfigurationKind(
    expected: "an ISO 3166-1 alpha-2 country code such as \"NL\"",
    parse: { $0.text.flatMap { CountryCode(alpha2: $0) } }, literal: { "\"\($0.alpha2)\"" })
}
