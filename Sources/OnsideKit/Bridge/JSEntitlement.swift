import Foundation
import OnsideCommerce

/// An entitlement as pages see it. `BridgeType` describes it for TypeScript.
struct JSEntitlement: Encodable {
  let productIdentifier: String
  let productType: String
  let subscriptionGroupIdentifier: String?
  let transactionIdentifier: String
  let originalTransactionIdentifier: String
  let isActive: Bool
  let purchaseDate: String
  let expirationDate: String?
  let gracePeriodExpirationDate: String?
  let revocationDate: String?
  let willAutoRenew: Bool?
  let appAccountToken: String?

  init(_ entitlement: OnsideEntitlement) {
    productIdentifier = entitlement.productIdentifier
    productType = entitlement.productType.rawValue
    subscriptionGroupIdentifier = entitlement.subscriptionGroupIdentifier
    transactionIdentifier = entitlement.transactionIdentifier
    originalTransactionIdentifier = entitlement.originalTransactionIdentifier
    isActive = entitlement.isActive
    purchaseDate = RFC3339.text(entitlement.purchaseDate)
    expirationDate = entitlement.expirationDate.map(RFC3339.text)
    gracePeriodExpirationDate = entitlement.gracePeriodExpirationDate.map(RFC3339.text)
    revocationDate = entitlement.revocationDate.map(RFC3339.text)
    willAutoRenew = entitlement.willAutoRenew
    appAccountToken = entitlement.appAccountToken
  }
}
