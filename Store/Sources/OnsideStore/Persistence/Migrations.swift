extension Migration {
  /// Every step, of every folder.
  public static let all: [Migration] =
    settings + storeSecrets + apps + signingKeys + catalogue + offerings + orders + unpaidOrders + ledger + payments
    + refunds
    + disputes
    + refundRequests
    + subscriptions + subscriptionMessages + renewalPrices + offerCodes + offerKeys + deletedSubscribers
    + accounts + codes + oauth + wallet
    + attribution + events + vault + outbox + retention + gauges + revisions + tax + receipts + payouts
    + BuiltInProviders.migrations

  /// Values of the store that outlive a restart: the permanent secret, the offset of the sandbox clock.
  static let settings = [
    Migration(
      1, name: "settings", sql: "CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
      postgres: """
        CREATE TABLE settings(name TEXT COLLATE "C" PRIMARY KEY, value TEXT COLLATE "C" NOT NULL);
        """)
  ]
}
