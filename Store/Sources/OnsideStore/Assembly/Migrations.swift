import StoreAccounts
import StoreAnalytics
public import StoreBase
import StoreVault

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
}
