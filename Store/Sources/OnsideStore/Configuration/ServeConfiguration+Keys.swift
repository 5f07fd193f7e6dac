import Logging
import StoreAccounts
import StoreAnalytics
import StoreBase
import StoreVault
import StoreWeb

extension ConfigurationKey {
  /// Every key, in the order in which the manual and `--check-config` show them. `docs/operating.md` describes each.
  public static let all: [ConfigurationKey] =
    general + monitoring + seller + tax + log + limits + messages + mail + codes + attribution + events + vault + wallet
    + tracing
    + payments

  private static let general = [
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
      "commission", path: \.store.commissionBasisPoints, kind: .wholeNumber(0...10_000), unit: "hundredths of a percent"
    ),
    ConfigurationKey("order_lifetime", path: \.store.orderLifetime, kind: .seconds(60...86_400), unit: "seconds"),
    ConfigurationKey("delivery_lease", path: \.store.deliveryLease, kind: .seconds(120...86_400), unit: "seconds"),
  ]

  private static let monitoring = [
    ConfigurationKey("monitoring.host", path: \.store.monitoring.host, kind: .host),
    ConfigurationKey("monitoring.port", path: \.store.monitoring.port, kind: .optionalPort),
  ]

  private static let seller = [
    ConfigurationKey("seller.id", path: \.store.seller.id, kind: .shortName),
    ConfigurationKey("seller.name", path: \.store.seller.name, kind: .optionalText),
    ConfigurationKey("seller.address", path: \.store.seller.address, kind: .optionalText),
    ConfigurationKey("seller.tax_number", path: \.store.seller.taxNumber, kind: .optionalText),
  ]

  private static let tax = [
    ConfigurationKey("tax.country_header", path: \.store.tax.countryHeader, kind: .headerName)
  ]

  private static let log = [
    ConfigurationKey("log.level", path: \.logLevel, kind: .choice(of: Logger.Level.allCases)),
    ConfigurationKey("log.format", path: \.logFormat, kind: .choice(of: LogFormat.allCases)),
  ]

  private static let limits = [
    ConfigurationKey(
      "limits.client_rate", path: \.store.limits.perClient.perSecond, kind: .wholeNumber(1...1_000_000),
      unit: "requests a second"),
    ConfigurationKey(
      "limits.client_burst", path: \.store.limits.perClient.burst, kind: .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.account_rate", path: \.store.limits.perAccount.perSecond, kind: .wholeNumber(1...1_000_000),
      unit: "requests a second"),
    ConfigurationKey(
      "limits.account_burst", path: \.store.limits.perAccount.burst, kind: .wholeNumber(1...1_000_000), unit: "requests"
    ),
    ConfigurationKey(
      "limits.unpaid_orders_per_account", path: \.store.limits.unpaidOrdersPerAccount,
      kind: .wholeNumber(20...1_000_000),
      unit: "orders a day"),
    ConfigurationKey(
      "limits.requests_in_flight", path: \.store.limits.requestsInFlight, kind: .wholeNumber(1...1_000_000),
      unit: "requests"),
    ConfigurationKey(
      "limits.waiting_polls", path: \.store.limits.waitingPolls, kind: .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.waiting_polls_per_account", path: \.store.limits.waitingPollsPerAccount, kind: .wholeNumber(1...1000),
      unit: "requests"),
    ConfigurationKey(
      "limits.connections", path: \.store.limits.connections, kind: .wholeNumber(1...1_000_000), unit: "connections"),
    ConfigurationKey(
      "limits.connections_per_network", path: \.store.limits.connectionsPerNetwork,
      kind: .wholeNumber(1...1_000_000), unit: "connections"),
    ConfigurationKey("limits.head_timeout", path: \.store.limits.headTimeout, kind: .seconds(1...600), unit: "seconds"),
    ConfigurationKey(
      "limits.idle_timeout", path: \.store.limits.idleTimeout, kind: .seconds(1...3600), unit: "seconds"),
    ConfigurationKey("limits.body_timeout", path: \.store.limits.bodyTimeout, kind: .seconds(1...600), unit: "seconds"),
    ConfigurationKey("limits.stop_timeout", path: \.store.limits.stopTimeout, kind: .seconds(1...600), unit: "seconds"),
  ]

  private static let messages = [
    ConfigurationKey(
      "messages.sender", path: \.store.messages.sender, kind: .choice(of: MessageConfiguration.Sender.allCases)),
    ConfigurationKey("messages.url", path: \.store.messages.url, kind: .gateway),
    ConfigurationKey(
      "messages.method", path: \.store.messages.method, kind: .choice(of: MessageConfiguration.Method.allCases)),
    ConfigurationKey("messages.content_type", path: \.store.messages.contentType, kind: .text("a media type")),
    ConfigurationKey(
      "messages.template", path: \.store.messages.template, kind: .text("a body with {to} and {text} or {code} in it")),
    ConfigurationKey("messages.headers", path: \.store.messages.headers, kind: .headers),
    ConfigurationKey("messages.authorization", path: \.store.messages.authorization, kind: .secret),
    ConfigurationKey("messages.user", path: \.store.messages.user, kind: .optionalText),
    ConfigurationKey("messages.password", path: \.store.messages.password, kind: .secret),
    ConfigurationKey("messages.from", path: \.store.messages.from, kind: .optionalText),
    ConfigurationKey("messages.recognises_repeats", path: \.store.messages.recognisesRepeats, kind: .flag),
    ConfigurationKey("messages.timeout", path: \.store.messages.timeout, kind: .seconds(1...20), unit: "seconds"),
  ]

  private static let mail = [
    ConfigurationKey("mail.sender", path: \.store.mail.sender, kind: .choice(of: MailConfiguration.Sender.allCases)),
    ConfigurationKey("mail.host", path: \.store.mail.host, kind: .host),
    ConfigurationKey("mail.port", path: \.store.mail.port, kind: .wholeNumber(1...65535)),
    ConfigurationKey(
      "mail.security", path: \.store.mail.security, kind: .choice(of: MailConfiguration.Security.allCases)),
    ConfigurationKey("mail.user", path: \.store.mail.user, kind: .optionalText),
    ConfigurationKey("mail.password", path: \.store.mail.password, kind: .secret),
    ConfigurationKey("mail.from", path: \.store.mail.from, kind: .mailbox),
    ConfigurationKey("mail.trusted_certificates", path: \.store.mail.trustedCertificates, kind: .optionalText),
    ConfigurationKey("mail.timeout", path: \.store.mail.timeout, kind: .seconds(1...60), unit: "seconds"),
  ]

  private static let codes = [
    ConfigurationKey(
      "codes.per_number", path: \.store.codeLimits.perNumber, kind: .wholeNumber(1...1000), unit: "codes an hour"),
    ConfigurationKey(
      "codes.per_number_daily", path: \.store.codeLimits.perNumberDaily, kind: .wholeNumber(1...10_000),
      unit: "codes a day"),
    ConfigurationKey(
      "codes.per_device", path: \.store.codeLimits.perDevice, kind: .wholeNumber(1...10_000), unit: "codes an hour"),
    ConfigurationKey(
      "codes.per_network", path: \.store.codeLimits.perNetwork, kind: .wholeNumber(1...1_000_000), unit: "codes an hour"
    ),
    ConfigurationKey(
      "codes.per_range", path: \.store.codeLimits.perRange, kind: .wholeNumber(1...100_000), unit: "codes an hour"),
    ConfigurationKey(
      "codes.total", path: \.store.codeLimits.total, kind: .wholeNumber(1...10_000_000), unit: "codes an hour"),
    ConfigurationKey(
      "codes.resend_delay", path: \.store.codeLimits.resendDelay, kind: .seconds(1...600), unit: "seconds"),
    ConfigurationKey(
      "codes.failures", path: \.store.codeLimits.failures, kind: .wholeNumber(5...100), unit: "codes"),
  ]

  private static let vault = [
    ConfigurationKey("vault.guard", path: \.store.vault.guardPath, kind: .optionalText)
  ]

  private static let attribution = [
    ConfigurationKey(
      "attribution.claim_lifetime", path: \.store.attribution.claimLifetime, kind: .seconds(60...86_400),
      unit: "seconds"),
    ConfigurationKey("attribution.matching", path: \.store.attribution.isMatching, kind: .flag),
    ConfigurationKey(
      "attribution.matching_window", path: \.store.attribution.matchingWindow, kind: .seconds(60...86_400),
      unit: "seconds"),
    ConfigurationKey(
      "attribution.event_retention", path: \.store.attribution.eventRetention, kind: .seconds(86_400...315_360_000),
      unit: "seconds"),
    ConfigurationKey("attribution.store_app", path: \.store.attribution.storeApp, kind: .appIdentifier),
  ]

  private static let events = [
    ConfigurationKey("events.from_apps", path: \.store.events.areStored, kind: .flag),
    ConfigurationKey(
      "events.bytes_per_app", path: \.store.events.bytesPerApp, kind: .wholeNumber(2_097_152...1_099_511_627_776),
      unit: "bytes a day"),
    ConfigurationKey(
      "events.bytes_per_address", path: \.store.events.bytesPerAddress,
      kind: .wholeNumber(2_097_152...1_099_511_627_776), unit: "bytes a day"),
  ]

  private static let tracing = [
    ConfigurationKey("tracing.url", path: \.store.tracing.url, kind: .collector),
    ConfigurationKey("tracing.sample", path: \.store.tracing.fraction, kind: .fraction),
  ]

  private static let wallet = [
    ConfigurationKey("wallet.login", path: \.store.wallet.isOffered, kind: .flag),
    ConfigurationKey("wallet.network", path: \.store.wallet.network, kind: .optionalText),
  ]
}
