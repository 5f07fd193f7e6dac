package import StoreBase

extension StoreLimits {
  /// The keys of the limits.
  package static let keys: [ConfigurationKey<StoreLimits>] = [
    ConfigurationKey(
      "limits.client_rate", path: \.perClient.perSecond, kind: .wholeNumber(1...1_000_000), unit: "requests a second"),
    ConfigurationKey(
      "limits.client_burst", path: \.perClient.burst, kind: .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.account_rate", path: \.perAccount.perSecond, kind: .wholeNumber(1...1_000_000),
      unit: "requests a second"),
    ConfigurationKey(
      "limits.account_burst", path: \.perAccount.burst, kind: .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.api_key_rate", path: \.perKey.perSecond, kind: .wholeNumber(1...1_000_000), unit: "requests a second"),
    ConfigurationKey(
      "limits.api_key_burst", path: \.perKey.burst, kind: .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.unpaid_orders_per_account", path: \.unpaidOrdersPerAccount, kind: .wholeNumber(20...1_000_000),
      unit: "orders a day"),
    ConfigurationKey(
      "limits.requests_in_flight", path: \.requestsInFlight, kind: .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey("limits.waiting_polls", path: \.waitingPolls, kind: .wholeNumber(1...1_000_000), unit: "requests"),
    ConfigurationKey(
      "limits.waiting_polls_per_account", path: \.waitingPollsPerAccount, kind: .wholeNumber(1...1000),
      unit: "requests"),
    ConfigurationKey("limits.connections", path: \.connections, kind: .wholeNumber(1...1_000_000), unit: "connections"),
    ConfigurationKey(
      "limits.connections_per_network", path: \.connectionsPerNetwork, kind: .wholeNumber(1...1_000_000),
      unit: "connections"),
    ConfigurationKey("limits.head_timeout", path: \.headTimeout, kind: .seconds(1...600), unit: "seconds"),
    ConfigurationKey("limits.idle_timeout", path: \.idleTimeout, kind: .seconds(1...3600), unit: "seconds"),
    ConfigurationKey("limits.body_timeout", path: \.bodyTimeout, kind: .seconds(1...600), unit: "seconds"),
    ConfigurationKey("limits.stop_timeout", path: \.stopTimeout, kind: .seconds(1...600), unit: "seconds"),
  ]
}
