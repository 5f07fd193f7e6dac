// The published error enums (contract, section 1.8). Their case names are the JSON that web pages see, so they stay as
// published; a payload-less enum encodes as `{"caseName":{}}`.

/// Why a login did not happen.
public enum OnsideLoginError: Error, Sendable, Hashable, Codable {
  /// The user dismissed the login screen.
  case loginDiscarded
}

/// Why a payment was not enqueued.
public enum OnsidePaymentQueueAddProductError: Error, Sendable, Hashable, Codable {
  /// The user dismissed the login screen.
  case loginDiscarded
  /// The gate after the login said no.
  case rejectedAfterLogin
}

/// Why a restore did not start.
public enum OnsidePaymentQueueRequestRestoreError: Error, Sendable, Hashable, Codable {
  /// The user dismissed the login screen.
  case loginDiscarded
}

/// Why the payment-methods manager was not shown.
public enum OnsidePaymentMethodsManagerError: Error, Sendable, Hashable, Codable {
  /// The user dismissed the login screen.
  case loginDiscarded
  /// The SDK runs on a `.storekit` file.
  case notSupportedInLocalTesting
  /// The screen could not be shown.
  case presentationFailed
}

/// Why a transaction failed. Declined cards and the like are dealt with inside the payment screen.
public enum OnsidePaymentTransactionError: Error, Sendable, Hashable, Codable {
  /// The user gave up.
  case cancelled
  /// The payment screen could not be shown.
  case presentationFailed
}

/// Why a restore that had started failed.
public enum OnsideTransactionsRestoreError: Error, Sendable, Hashable, Codable {
  /// It was cancelled, for example by a logout.
  case cancelled
  /// The store could not be reached.
  case connectionError
  /// The store does not know the app (HTTP 404).
  case appNotRegistered
  /// The store cannot answer now (HTTP 5xx).
  case serviceUnavailable
  /// An answer that could not be read, or another unexpected fault.
  case internalError
}

/// Why a products request failed.
public enum OnsideProductsRequestError: Error, Sendable, Hashable, Codable {
  /// `stop()` was called.
  case cancelled
  /// The store could not be reached, or did not answer in time.
  case connectionError
  /// The store does not know the app (HTTP 404).
  case appNotRegistered
  /// An identifier that can never exist (HTTP 422).
  case invalidProductIdentifier
  /// The store cannot answer now (HTTP 5xx).
  case serviceUnavailable
  /// An answer that could not be read, or another unexpected fault.
  case internalError
}

/// Why a request for the signed history failed.
public enum OnsideSignedInAppsHistoryRequestError: Error, Sendable, Hashable, Codable {
  /// No account is signed in.
  case notLoggedIn
  /// The SDK runs on a `.storekit` file.
  case notSupportedInLocalTesting
  /// `stop()` was called.
  case cancelled
  /// The store could not be reached, or did not answer in time.
  case connectionError
  /// The store does not know the app (HTTP 404).
  case appNotRegistered
  /// The store cannot answer now (HTTP 5xx).
  case serviceUnavailable
  /// An answer that could not be read, or another unexpected fault.
  case internalError
}

/// Why a request for attribution metadata failed.
public enum OnsideAttributionMetadataError: Error, Sendable, Hashable, Codable {
  /// The store could not be reached, or did not answer in time.
  case connectionError
  /// The store does not know the app (HTTP 404).
  case appNotRegistered
  /// The store cannot answer now (HTTP 5xx).
  case serviceUnavailable
  /// An answer that could not be read, or another unexpected fault.
  case internalError
}
