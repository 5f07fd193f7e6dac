// The published error enums (contract, section 1.8). Their case names are the JSON that web pages see, so they stay as
// published; a payload-less enum encodes as `{"caseName":{}}`.

/// The error of ``Onside/requestLogin(completion:)`` and ``Onside/login()`` for a login that did not happen.
public enum OnsideLoginError: Error, Sendable, Hashable, Codable {
  /// The user dismissed the login screen, or the app cancelled the login. In completions also a failure of network,
  /// disk or screen. Do not show the login again by itself; let the user ask for it.
  case loginDiscarded
}

/// The error of ``OnsidePaymentQueue/add(_:completion:)`` for a payment that was not enqueued. Nothing is charged.
public enum OnsidePaymentQueueAddProductError: Error, Sendable, Hashable, Codable {
  /// The user was not logged in: the login was dismissed or cancelled, or has failed.
  case loginDiscarded
  /// The delegate's gate after the login refused the payment. In completions also a payment that could not be taken: a
  /// token that is too long, or a disk that did not store it.
  case rejectedAfterLogin
}

/// The error of ``OnsidePaymentQueue/restoreCompletedTransactions(completion:)`` for a restore that did not start.
public enum OnsidePaymentQueueRequestRestoreError: Error, Sendable, Hashable, Codable {
  /// The user was not logged in: the login was dismissed or cancelled, or has failed.
  case loginDiscarded
}

/// The error of ``Onside/presentPaymentMethodsManager(completion:)`` for a page that was not shown.
public enum OnsidePaymentMethodsManagerError: Error, Sendable, Hashable, Codable {
  /// The user was not logged in: the login was dismissed or cancelled, or has failed; or the store has ended the
  /// session.
  case loginDiscarded
  /// The SDK runs on a `.storekit` file, which has no payment methods.
  case notSupportedInLocalTesting
  /// The page could not be shown: no window or browser, or no answer of the store. The log says which.
  case presentationFailed
}

/// The error of ``Onside/presentRefundRequest(for:completion:)`` for a page that was not shown. An addition to the
/// published interface.
public enum OnsideRefundRequestError: Error, Sendable, Hashable, Codable {
  /// The user was not logged in: the login was dismissed or cancelled, or has failed; or the store has ended the
  /// session.
  case loginDiscarded
  /// The SDK runs on a `.storekit` file, whose purchases are refunded with the test kit.
  case notSupportedInLocalTesting
  /// The transaction has no ``OnsidePaymentTransaction/transactionIdentifier`` yet, or is no purchase of the logged-in
  /// account in this app.
  case purchaseNotFound
  /// The page could not be shown: no window or browser, or no answer of the store. The log says which.
  case presentationFailed
}

/// The error of a `.failed` transaction (QUE-15). Finish the transaction in both cases.
///
/// Declined cards and the like are handled inside the payment screen, where the user may choose another card.
public enum OnsidePaymentTransactionError: Error, Sendable, Hashable, Codable {
  /// The user or the app cancelled the payment, its order expired, or the process ended before it was paid.
  case cancelled
  /// The payment screen could not be shown, or the order could not be made. The user may try again.
  case presentationFailed
}

/// The error with which observers are told that a restore has failed after it was accepted.
public enum OnsideTransactionsRestoreError: Error, Sendable, Hashable, Codable {
  /// The account was logged out meanwhile.
  case cancelled
  /// The store could not be reached. Retry when there is a connection.
  case connectionError
  /// The store does not know the app (HTTP 404): check ``OnsideConfiguration/appIdentifier``.
  case appNotRegistered
  /// The store cannot answer now (HTTP 5xx). Retry later.
  case serviceUnavailable
  /// An answer that could not be read, or another unexpected failure.
  case internalError
}

/// The error of a products request (PRD-5). An identifier that the store does not sell is none: see
/// ``OnsideProductsResponse/invalidProductIdentifiers``.
public enum OnsideProductsRequestError: Error, Sendable, Hashable, Codable {
  /// ``OnsideProductsRequest/stop()`` was called, or the task was cancelled.
  case cancelled
  /// The store could not be reached, or did not answer within 15 s. Retry when there is a connection.
  case connectionError
  /// The store does not know the app (HTTP 404): check ``OnsideConfiguration/appIdentifier``.
  case appNotRegistered
  /// The store refused the request (HTTP 422), for an identifier that can never exist.
  case invalidProductIdentifier
  /// The store cannot answer now (HTTP 5xx). Retry later.
  case serviceUnavailable
  /// An answer that could not be read, or another unexpected failure. The log says more.
  case internalError
}

/// The error of a request for the signed purchase history.
public enum OnsideSignedInAppsHistoryRequestError: Error, Sendable, Hashable, Codable {
  /// No account is logged in, or the store has ended its session. Call ``Onside/requestLogin(completion:)`` first.
  case notLoggedIn
  /// The SDK runs on a `.storekit` file, and there is no store to sign.
  case notSupportedInLocalTesting
  /// ``OnsideSignedInAppsHistoryRequest/stop()`` was called, or the task was cancelled.
  case cancelled
  /// The store could not be reached, or did not answer within 15 s. Retry when there is a connection.
  case connectionError
  /// The store does not know the app (HTTP 404): check ``OnsideConfiguration/appIdentifier``.
  case appNotRegistered
  /// The store cannot answer now (HTTP 5xx). Retry later.
  case serviceUnavailable
  /// An answer that could not be read, or another unexpected failure.
  case internalError
}

/// The error of a request for attribution metadata. Nothing is stored: the next call asks the store again.
public enum OnsideAttributionMetadataError: Error, Sendable, Hashable, Codable {
  /// The store could not be reached, or did not answer in time. Retry when there is a connection.
  case connectionError
  /// The store does not know the app (HTTP 404): check ``OnsideConfiguration/appIdentifier``.
  case appNotRegistered
  /// The store cannot answer now (HTTP 5xx). Retry later.
  case serviceUnavailable
  /// An answer that could not be read, or another unexpected failure. The log says more.
  case internalError
}
