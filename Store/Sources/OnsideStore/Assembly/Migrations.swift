import StoreAccounts
import StoreAnalytics
public import StoreBase
import StoreMerchants
import StoreSales
import StoreVault

extension Migration {
  /// Every step, of every module. The order is irrelevant; `MigrationPlan` sorts by number.
  public static let all: [Migration] =
    storeBase + storeAccounts + storeVault + storeAnalytics + storeSales + storeMerchants + gauges
    + BuiltInProviders.migrations
}
