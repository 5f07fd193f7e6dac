import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// Reads of orders for the events of their subscriptions.
enum SubscriptionEventRecords {
  /// An order that has paid a period.
  struct PeriodOrder {
    let country: CountryCode
    let language: String?
    let appAccountToken: String?
    /// Whether it is a grant that replaces a revoked order.
    let isReinstatement: Bool
  }

  /// The order of a subscription's last period. A missing one must not stop the subscription: its event then has the
  /// account's country, the default language and no token.
  static func order(of subscription: StoredSubscription, in connection: any SQLConnection) throws -> PeriodOrder {
    if let order = try order(subscription.lastOrder, in: connection) { return order }
    let country = try AccountRecords.country(of: subscription.key.account, in: connection)
    return PeriodOrder(
      country: country ?? .unitedStates, language: nil, appAccountToken: nil, isReinstatement: false)
  }

  static func order(_ id: UUID, in connection: any SQLConnection) throws -> PeriodOrder? {
    let row = try connection.row(
      "SELECT country, language, app_account_token, reinstates FROM orders WHERE id = $1", [.text(id.lowercase)])
    return try row.map { row in
      PeriodOrder(
        country: try row.country("country"), language: try row.optionalText("language"),
        appAccountToken: try row.optionalText("app_account_token"),
        isReinstatement: try row.optionalText("reinstates") != nil)
    }
  }
}
