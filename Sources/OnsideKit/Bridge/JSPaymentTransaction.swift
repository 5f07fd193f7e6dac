import Foundation
import OnsideCommerce

// Transactions as pages see them (contract, section 3.4). `BridgeType` describes these types for TypeScript.

struct JSPayment: Encodable {
  let product: JSProduct
  let appAccountToken: String?
  let quantity: Int
  let offer: OnsidePaymentOffer?

  init(_ payment: OnsidePayment) {
    product = JSProduct(payment.product)
    appAccountToken = payment.appAccountToken
    quantity = payment.quantity
    offer = payment.offer
  }
}

struct JSPaymentTransaction: Encodable {
  let id: String
  let transactionIdentifier: String?
  let originalTransactionIdentifier: String?
  let payment: JSPayment
  let transactionState: OnsidePaymentTransactionState
  let storefront: OnsideStorefront
  let error: OnsidePaymentTransactionError?
  let failureCode: String?
  let deliveryReason: String
  let purchaseDate: String?
  let expirationDate: String?
  let revocationDate: String?
  let signedPurchase: String?

  init(_ transaction: OnsidePaymentTransaction) {
    id = transaction.id.uuidString.lowercased()
    transactionIdentifier = transaction.transactionIdentifier
    originalTransactionIdentifier = transaction.originalTransactionIdentifier
    payment = JSPayment(transaction.payment)
    transactionState = transaction.transactionState
    storefront = transaction.storefront
    error = transaction.error
    failureCode = transaction.failure?.code
    deliveryReason = transaction.deliveryReason.rawValue
    purchaseDate = transaction.purchaseDate.map(RFC3339.text)
    expirationDate = transaction.expirationDate.map(RFC3339.text)
    revocationDate = transaction.revocationDate.map(RFC3339.text)
    signedPurchase = transaction.signedPurchase
  }
}
