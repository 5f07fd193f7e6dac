/// How the test store of a `.storekit` file behaves.
public struct StoreKitSettings: Sendable, Hashable, Codable {
  /// The region that the store is in (`_storefront`).
  public var storefront: CountryCode = .unitedStates
  /// The language of the store, a BCP 47 tag (`_locale`).
  public var language = "en-US"
  /// How fast subscriptions renew (`_timeRate`).
  public var timeRate: TimeRate = .realTime
  /// True when every purchase fails (`_failTransactionsEnabled`).
  public var failTransactionsEnabled = false
  /// The failures that are switched on (`_storeKitErrors`).
  public var storeKitErrors: [StoreKitFailure] = []
  /// True when purchases wait for someone's approval (`_askToBuyEnabled`).
  public var askToBuyEnabled = false
  /// True when payments fail for lack of a working card (`_billingIssuesEnabled`).
  public var billingIssuesEnabled = false
  /// True when renewals fail for lack of a working card (`_renewalBillingIssuesEnabled`).
  public var renewalBillingIssuesEnabled = false
  /// True when a subscription goes on for a while after a failed renewal (`_billingGracePeriodEnabled`).
  public var billingGracePeriodEnabled = false
  /// True when no screens are shown (`_disableDialogs`).
  public var disableDialogs = false

  /// The settings of a new file.
  public init() {}
}

/// A failure that the test store plays.
public struct StoreKitFailure: Sendable, Hashable, Codable {
  /// What fails, in the file's words: `Load Products`, `Purchase`, `App Store Sync`.
  public var operation: String
  /// How it fails, in the file's words (`current.type`); nil when the file does not say.
  public var kind: String?

  /// A failure of an operation.
  public init(operation: String, kind: String? = nil) {
    self.operation = operation
    self.kind = kind
  }
}
