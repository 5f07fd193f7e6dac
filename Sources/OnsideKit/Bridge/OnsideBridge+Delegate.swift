// What the client asks and tells, passed on to pages.

extension OnsideBridge: OnsideDelegate {
  /// What a page has set with `setShouldForceLocalLoginMethods`.
  public func onsideShouldForceLocalLoginMethods() -> Bool { forcesLocalMethods }

  /// What a page has set with `setDefaultCountryCodeAssumption`.
  public func onsideDefaultCountryCodeAssumption() -> String? { countryHint }
}

extension OnsideBridge: OnsidePaymentTransactionObserver {
  /// Calls `onTransactionsUpdated`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    views.tell(.updated(transactions))
  }

  /// Calls `onTransactionsRemoved`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    views.tell(.removed(transactions))
  }

  /// Calls `onTransactionsRevoked`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    views.tell(.revoked(transactions))
  }

  /// Calls `onRestoreCompletedTransactionsFinished`.
  public func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue) {
    views.tell(.restoreFinished)
  }

  /// Calls `onRestoreCompletedTransactionsFailedWithError`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue,
    restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) {
    views.tell(.restoreFailed(error))
  }

  /// Calls `onStorefrontChanged`.
  public func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {
    refresh()
    views.tell(.storefrontChanged(queue.storefront))
  }
}

extension OnsideBridge: OnsidePaymentQueueDelegate {
  /// Asks `shouldContinueTransaction`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool {
    await gates.ask(.shouldContinue(transaction, storefront))
  }

  /// Asks `shouldContinueTransactionAfterLogin`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool {
    await gates.ask(.shouldContinueAfterLogin(transaction))
  }
}
