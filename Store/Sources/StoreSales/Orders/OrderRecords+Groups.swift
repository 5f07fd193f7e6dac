import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// Subscription groups in which an account has paid: it gets no introductory offer there (PRD-9).
extension OrderRecords {
  /// The subscription groups in which a customer has paid, also with an account that was deleted since.
  func usedGroups(of customer: Customer, in connection: any SQLConnection) throws -> Set<String> {
    try paidGroups(of: customer, in: connection)
      .union(try deletedSubscribers.groups(of: customer, in: connection))
  }

  /// The subscription groups that an account has paid in since a time, by its products as they were when they were
  /// ordered: what the catalogue says today may be something else, or nothing.
  func paidGroups(
    of customer: Customer, since start: Date = .distantPast, in connection: any SQLConnection
  ) throws -> Set<String> {
    let bought = try Self.paidSubscriptions(of: customer, since: start, in: connection)
    let groups = try bought.map { try products.product($0, in: connection).message.subscriptionGroupID }
    return Set(groups.compactMap { $0 })
  }
}

extension ProductMessage {
  /// The product with the offers that an account may have which has paid in these subscription groups.
  func offered(usedGroups: Set<String>) -> ProductMessage {
    subscriptionGroupID.map(usedGroups.contains) == true ? withoutOffers : self
  }
}
