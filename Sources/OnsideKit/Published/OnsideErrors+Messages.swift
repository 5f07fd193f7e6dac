public import Foundation

// Messages of the published errors for developers, in English: what was expected and what to do. They are
// `localizedDescription`, too; an app shows its users texts of its own.

/// Parts of messages that several errors have.
private enum Message {
  static let login = "expected a login, but the user dismissed it or it failed; let the user ask for it again"
  static let localTesting =
    "expected a store, but the SDK runs on a .storekit file, which has none of this; hide the feature in local testing"
  static let presentation = "expected to show a page, but there is no window or browser, or no answer; see the log"
  static let connection = "expected an answer from the store, but it could not be reached; try again with a connection"
  static let app = "expected a store that knows the app, but it answered 404; check appIdentifier"
  static let unavailable = "expected an answer from the store, but it cannot answer now; try again later"
  static let unexpected = "expected another answer from the store; the log says which one came"
  static let cancelled = "expected the request to end, but it was stopped or its task cancelled; make another one"
}

extension OnsideLoginError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? { Message.login }
}

extension OnsidePaymentQueueAddProductError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? {
    switch self {
    case .loginDiscarded: Message.login
    case .rejectedAfterLogin:
      "expected a payment that can be enqueued, but the delegate or the disk did not take it; see the log"
    }
  }
}

extension OnsidePaymentQueueRequestRestoreError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? { Message.login }
}

extension OnsidePaymentMethodsManagerError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? {
    switch self {
    case .loginDiscarded: Message.login
    case .notSupportedInLocalTesting: Message.localTesting
    case .presentationFailed: Message.presentation
    }
  }
}

extension OnsideRefundRequestError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? {
    switch self {
    case .loginDiscarded: Message.login
    case .notSupportedInLocalTesting: Message.localTesting
    case .purchaseNotFound:
      "expected a paid purchase of the logged-in account in this app; pass one of its transactions"
    case .presentationFailed: Message.presentation
    }
  }
}

extension OnsidePaymentTransactionError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? {
    switch self {
    case .cancelled: "expected a payment, but it was cancelled or not made in time; finish the transaction"
    case .presentationFailed:
      "expected a payment page, but none could be shown; finish the transaction and look at its failure"
    }
  }
}

extension OnsideTransactionsRestoreError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? {
    switch self {
    case .cancelled: "expected an account that stays logged in, but it was logged out; restore again after a login"
    case .connectionError: Message.connection
    case .appNotRegistered: Message.app
    case .serviceUnavailable: Message.unavailable
    case .internalError: Message.unexpected
    }
  }
}

extension OnsideProductsRequestError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? {
    switch self {
    case .cancelled: Message.cancelled
    case .connectionError: Message.connection
    case .appNotRegistered: Message.app
    case .invalidProductIdentifier:
      "expected identifiers that a product can have, but the store refused one (422); check their spelling"
    case .serviceUnavailable: Message.unavailable
    case .internalError: Message.unexpected
    }
  }
}

extension OnsideSignedInAppsHistoryRequestError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? {
    switch self {
    case .notLoggedIn: "expected a logged-in account, but there is none; call Onside.requestLogin first"
    case .notSupportedInLocalTesting: Message.localTesting
    case .cancelled: Message.cancelled
    case .connectionError: Message.connection
    case .appNotRegistered: Message.app
    case .serviceUnavailable: Message.unavailable
    case .internalError: Message.unexpected
    }
  }
}

extension OnsideAttributionMetadataError: LocalizedError {
  /// What was expected and what to do; for the developer, in English.
  public var errorDescription: String? {
    switch self {
    case .connectionError: Message.connection
    case .appNotRegistered: Message.app
    case .serviceUnavailable: Message.unavailable
    case .internalError: Message.unexpected
    }
  }
}
