import Foundation
import OnsideAPI
import OnsideCommerce

/// Who may have an introductory offer: accounts that never subscribed in the product's group (PRD-9).
enum OfferEligibility {
  /// The subscription groups that an account has paid in since a time, by its products as they were when they were
  /// ordered: what the catalogue says today may be something else, or nothing.
  static func usedGroups(
    account: String, app: String, since start: Date = .distantPast, _ products: OrderedProducts,
    _ connection: any SQLConnection
  ) throws -> Set<String> {
    let bought = try connection.rows(
      """
      SELECT DISTINCT ordered_product FROM orders
      WHERE account_id = $1 AND app_id = $2 AND state = 'paid' AND duplicate_of IS NULL AND expires_at IS NOT NULL
        AND paid_at >= $3
      """, [.text(account), .text(app), .date(start)])
    let groups = try bought.map { row in
      try products.product(row.integer("ordered_product"), connection).message.subscriptionGroupID
    }
    return Set(groups.compactMap { $0 })
  }
}

extension ProductMessage {
  /// The product with the offers that an account may have which has paid in these subscription groups.
  func offered(usedGroups: Set<String>) -> ProductMessage {
    subscriptionGroupID.map(usedGroups.contains) == true ? withoutOffers : self
  }
}
