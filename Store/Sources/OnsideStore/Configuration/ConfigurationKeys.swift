import Logging

extension ConfigurationKey {
  /// Every key, in the order in which the manual and `--check-config` show them. `docs/operating.md` describes each.
  public static let all: [ConfigurationKey] =
    general + log + limits + messages + mail + codes + attribution + vault + wallet

  private static let general = [
    ConfigurationKey("environment", \.store.environment, .choice(of: StoreEnvironment.allCases)),
    ConfigurationKey("name", \.store.name, .text("the name that people see, such as \"Onside\"")),
    ConfigurationKey("database", \.database, .text("the path of a file such as \"onside.sqlite\"")),
    ConfigurationKey("host", \.store.host, .host),
    ConfigurationKey("port", \.store.port, .wholeNumber(0...65535)),
    ConfigurationKey("public_url", \.store.publicURL, .publicAddress),
    ConfigurationKey("behind_proxy", \.store.isBehindProxy, .flag),
    ConfigurationKey("default_country", \.store.defaultCountry, .country),
    ConfigurationKey(
      "commission", \.store.commissionBasisPoints, .wholeNumber(0...10_000), unit: "hundredths of a percent"),
    ConfigurationKey("order_lifetime", \.store.orderLifetime, .seconds(60...86_400), unit: "seconds"),
    ConfigurationKey("delivery_lease", \.store.deliveryLease, .seconds(120...86_400), unit: "seconds"),
  ]

  private static let log = [
    ConfigurationKey("log.level", \.logLevel, .choice(of: Logger.Level.allCases)),
    ConfigurationKey("log.format", \.logFormat, .choice(of: LogFormat.allCases)),
  ]

  private static let limits = [
    ConfigurationKey(
      "limits.client_rate", \.store.limits.perClient.perSecond, .wholeNumber(1...1_000_000),
      unit: "requests a second"),
    ConfigurationKey(
      "limits.client_burst", \.store.limits.perClient.burst, .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.account_rate", \.store.limits.perAccount.perSecond, .wholeNumber(1...1_000_000),
      unit: "requests a second"),
    ConfigurationKey(
      "limits.account_burst", \.store.limits.perAccount.burst, .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.requests_in_flight", \.store.limits.requestsInFlight, .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.waiting_polls", \.store.limits.waitingPolls, .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.waiting_polls_per_account", \.store.limits.waitingPollsPerAccount, .wholeNumber(1...1000),
      unit: "requests"),
    ConfigurationKey(
      "limits.connections", \.store.limits.connections, .wholeNumber(1...1_000_000), unit: "connections"),
    ConfigurationKey("limits.head_timeout", \.store.limits.headTimeout, .seconds(1...600), unit: "seconds"),
    ConfigurationKey("limits.idle_timeout", \.store.limits.idleTimeout, .seconds(1...3600), unit: "seconds"),
    ConfigurationKey("limits.body_timeout", \.store.limits.bodyTimeout, .seconds(1...600), unit: "seconds"),
    ConfigurationKey("limits.stop_timeout", \.store.limits.stopTimeout, .seconds(1...600), unit: "seconds"),
  ]

  private static let messages = [
    ConfigurationKey("messages.sender", \.store.messages.sender, .choice(of: MessageConfiguration.Sender.allCases)),
    ConfigurationKey("messages.url", \.store.messages.url, .gateway),
    ConfigurationKey("messages.method", \.store.messages.method, .choice(of: MessageConfiguration.Method.allCases)),
    ConfigurationKey("messages.content_type", \.store.messages.contentType, .text("a media type")),
    ConfigurationKey(
      "messages.template", \.store.messages.template, .text("a body with {to} and {text} or {code} in it")),
    ConfigurationKey("messages.headers", \.store.messages.headers, .headers),
    ConfigurationKey("messages.authorization", \.store.messages.authorization, .secret),
    ConfigurationKey("messages.user", \.store.messages.user, .optionalText),
    ConfigurationKey("messages.password", \.store.messages.password, .secret),
    ConfigurationKey("messages.from", \.store.messages.from, .optionalText),
    ConfigurationKey("messages.recognises_repeats", \.store.messages.recognisesRepeats, .flag),
    ConfigurationKey("messages.timeout", \.store.messages.timeout, .seconds(1...20), unit: "seconds"),
  ]

  private static let mail = [
    ConfigurationKey("mail.sender", \.store.mail.sender, .choice(of: MailConfiguration.Sender.allCases)),
    ConfigurationKey("mail.host", \.store.mail.host, .host),
    ConfigurationKey("mail.port", \.store.mail.port, .wholeNumber(1...65535)),
    ConfigurationKey("mail.security", \.store.mail.security, .choice(of: MailConfiguration.Security.allCases)),
    ConfigurationKey("mail.user", \.store.mail.user, .optionalText),
    ConfigurationKey("mail.password", \.store.mail.password, .secret),
    ConfigurationKey("mail.from", \.store.mail.from, .mailbox),
    ConfigurationKey("mail.trusted_certificates", \.store.mail.trustedCertificates, .optionalText),
    ConfigurationKey("mail.timeout", \.store.mail.timeout, .seconds(1...60), unit: "seconds"),
  ]

  private static let codes = [
    ConfigurationKey("codes.per_number", \.store.codeLimits.perNumber, .wholeNumber(1...1000), unit: "codes an hour"),
    ConfigurationKey(
      "codes.per_number_daily", \.store.codeLimits.perNumberDaily, .wholeNumber(1...10_000), unit: "codes a day"),
    ConfigurationKey("codes.per_device", \.store.codeLimits.perDevice, .wholeNumber(1...10_000), unit: "codes an hour"),
    ConfigurationKey(
      "codes.per_network", \.store.codeLimits.perNetwork, .wholeNumber(1...1_000_000), unit: "codes an hour"),
    ConfigurationKey("codes.per_range", \.store.codeLimits.perRange, .wholeNumber(1...100_000), unit: "codes an hour"),
    ConfigurationKey("codes.total", \.store.codeLimits.total, .wholeNumber(1...10_000_000), unit: "codes an hour"),
    ConfigurationKey("codes.resend_delay", \.store.codeLimits.resendDelay, .seconds(1...600), unit: "seconds"),
    ConfigurationKey("codes.failures", \.store.codeLimits.failures, .wholeNumber(5...100), unit: "codes an hour"),
  ]

  private static let vault = [
    ConfigurationKey("vault.guard", \.store.vault.guardPath, .optionalText)
  ]

  private static let attribution = [
    ConfigurationKey(
      "attribution.claim_lifetime", \.store.attribution.claimLifetime, .seconds(60...86_400), unit: "seconds"),
    ConfigurationKey("attribution.matching", \.store.attribution.isMatching, .flag),
    ConfigurationKey(
      "attribution.matching_window", \.store.attribution.matchingWindow, .seconds(60...86_400), unit: "seconds"),
    ConfigurationKey(
      "attribution.event_retention", \.store.attribution.eventRetention, .seconds(86_400...315_360_000),
      unit: "seconds"),
    ConfigurationKey("attribution.store_app", \.store.attribution.storeApp, .appIdentifier),
  ]

  private static let wallet = [
    ConfigurationKey("wallet.login", \.store.wallet.isOffered, .flag),
    ConfigurationKey("wallet.network", \.store.wallet.network, .optionalText),
  ]
}
