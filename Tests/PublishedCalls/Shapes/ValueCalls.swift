import Foundation
import OnsideKit

/// Payments and transactions (contract, section 1.4): values that may go to other actors.
enum TransactionValues {
  static func read(_ transaction: OnsidePaymentTransaction) {
    let _: UUID = transaction.id
    let _: String? = transaction.transactionIdentifier
    let _: String? = transaction.originalTransactionIdentifier
    let _: OnsidePayment = transaction.payment
    let _: OnsideProduct = transaction.payment.product
    let _: String? = transaction.payment.appAccountToken
    let _: OnsidePaymentTransactionState = transaction.transactionState
    let _: OnsidePaymentTransactionError? = transaction.error
    let _: String = transaction.storefront.id + transaction.storefront.countryCode
    let _: Bool = transaction.isSame(as: transaction)
    for item in [transaction] where item.id == transaction.id { Task.detached { print(item.id) } }
  }
}

/// Every case of every error (contract, section 1.8); all are `Codable`, and may get new cases.
enum ErrorValues {
  static func name(_ error: OnsidePaymentTransactionError) -> String {
    switch error {
    case .cancelled: "cancelled"
    case .presentationFailed: "no screen"
    @unknown default: "failed"
    }
  }

  static func name(_ error: OnsidePaymentMethodsManagerError) -> String {
    switch error {
    case .loginDiscarded: "not logged in"
    case .notSupportedInLocalTesting: "local testing"
    case .presentationFailed: "no screen"
    @unknown default: "failed"
    }
  }

  static func name(_ error: OnsideTransactionsRestoreError) -> String {
    switch error {
    case .cancelled, .connectionError, .appNotRegistered, .serviceUnavailable, .internalError: "\(error)"
    @unknown default: "failed"
    }
  }

  static func name(_ error: OnsideProductsRequestError) -> String {
    switch error {
    case .cancelled, .connectionError, .appNotRegistered, .invalidProductIdentifier, .serviceUnavailable: "\(error)"
    case .internalError: "internal"
    @unknown default: "failed"
    }
  }

  static func name(_ error: OnsideSignedInAppsHistoryRequestError) -> String {
    switch error {
    case .notLoggedIn, .notSupportedInLocalTesting, .cancelled, .connectionError, .appNotRegistered: "\(error)"
    case .serviceUnavailable, .internalError: "store"
    @unknown default: "failed"
    }
  }

  static func name(_ error: OnsideAttributionMetadataError) -> String {
    switch error {
    case .connectionError, .appNotRegistered, .serviceUnavailable, .internalError: "\(error)"
    @unknown default: "failed"
    }
  }

  static func encoded() throws -> [Data] {
    let encoder = JSONEncoder()
    return [
      try encoder.encode(OnsideLoginError.loginDiscarded),
      try encoder.encode(OnsidePaymentQueueAddProductError.rejectedAfterLogin),
      try encoder.encode(OnsidePaymentQueueRequestRestoreError.loginDiscarded),
    ]
  }

  // As any error, in any task.
  static func generic(_ error: OnsideProductsRequestError) -> String { (error as Error).localizedDescription }
}
