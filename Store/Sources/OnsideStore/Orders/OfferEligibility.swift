import OnsideCommerce

/// Who may have an introductory offer: accounts that never subscribed in the product's group (PRD-9).
enum OfferEligibility {
  /// The subscription groups that an account has bought in, in any app version and also long ago.
  static func usedGroups(
    account: String, app: String, _ catalogue: CatalogueService, _ connection: any SQLConnection
  ) throws -> Set<String> {
    let bought = try connection.rows(
      """
      SELECT DISTINCT product_id FROM orders
      WHERE account_id = $1 AND app_id = $2 AND state = 'paid' AND duplicate_of IS NULL
      """, [.text(account), .text(app)])
    return Set(try bought.compactMap { catalogue.product(try $0.text("product_id"), of: app)?.subscription?.groupID })
  }
}
