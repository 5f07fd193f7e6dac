public import StoreBase

extension SubscriptionListing {
  /// Subscriptions of all accounts or of one, those first for which something is due next.
  public static func list(
    _ limit: Int, account: String? = nil, in connection: any SQLConnection
  ) throws -> [SubscriptionListing] {
    let condition = account == nil ? "" : "WHERE account_id = $2"
    let arguments = [.integer(limit)] + (account.map { [SQLValue.text($0)] } ?? [])
    return try connection.rows(
      """
      SELECT * FROM subscriptions \(condition)
      ORDER BY wakes_at IS NULL, wakes_at, account_id, app_id, group_id LIMIT $1
      """, arguments
    ).map { SubscriptionListing(try StoredSubscription($0)) }
  }
}
