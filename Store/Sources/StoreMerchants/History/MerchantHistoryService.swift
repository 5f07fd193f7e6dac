import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
package import StoreBase
package import StoreSales
import StoreWeb

/// The signed histories that merchants' servers request (contract, section 4.1).
package struct MerchantHistoryService: Sendable {
  private let dependencies: BaseDependencies
  private let purchases: PurchaseRecords
  private let keys: SigningKeys

  package init(_ dependencies: BaseDependencies, purchases: PurchaseRecords, keys: SigningKeys) {
    self.dependencies = dependencies
    self.purchases = purchases
    self.keys = keys
  }

  /// The signed history of a paid order: the order, and the other orders of its chain.
  ///
  /// - Throws: ``MerchantHistoryError``.
  func history(of order: UUID, for app: String) async throws -> String {
    let (purchases, environment) = (purchases, dependencies.environment)
    let chain = try await dependencies.database.read(at: dependencies.clock.now()) { transaction in
      guard let customer = try purchases.customer(of: order, in: transaction) else {
        throw MerchantHistoryError.unknownOrder
      }
      guard customer.app == app else { throw MerchantHistoryError.otherApp }
      return try purchases.chain(
        of: order, of: customer, in: transaction.at(timeOf: customer.account, in: environment))
    }
    guard !chain.isEmpty else { throw MerchantHistoryError.unknownOrder }
    return try keys.signedHistory(of: chain)
  }
}

/// The reason for which a merchant's server gets no history.
enum MerchantHistoryError: Error, Hashable {
  /// There is no order with this id, or it is not paid.
  case unknownOrder
  /// The order is of another app.
  case otherApp
}

extension MerchantHistoryError: ProblemConvertible {
  var problem: Problem {
    switch self {
    case .unknownOrder: Problem(.notFound, detail: "There is no paid order with this id.")
    case .otherApp: Problem(.forbidden, detail: "The order is of another app than the secret of the JWT.")
    }
  }
}
