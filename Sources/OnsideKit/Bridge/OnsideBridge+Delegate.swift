// Calls of the client and its queue, which go to pages.

extension OnsideBridge: OnsideDelegate {
  /// The value of a page's last `setShouldForceLocalLoginMethods`.
  public func onsideShouldForceLocalLoginMethods() -> Bool { forcesLocalMethods }

  /// The value of a page's last `setDefaultCountryCodeAssumption`.
  public func onsideDefaultCountryCodeAssumption() -> String? { countryHint }
}

extension OnsideBridge: RevocationReporter {
  /// Calls `onTransactionsUpdated`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    told.formUnion(transactions.map(\.id))
    for one in transactions where one.transactionState != .purchasing { acting.forget(one.payment) }
    views.tell(.updated(transactions))
  }

  /// Calls `onTransactionsRemoved`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    told.subtract(transactions.map(\.id))
    for one in transactions { acting.forget(one.payment) }
    views.tell(.removed(transactions))
  }

  /// Calls `onTransactionsRevoked`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    revoke(transactions)
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
    await gates.ask(.shouldContinue(transaction, storefront), of: acting.view(for: transaction.payment))
  }

  /// Asks `shouldContinueTransactionAfterLogin`.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool {
    await gates.ask(.shouldContinueAfterLogin(transaction), of: acting.view(for: transaction.payment))
  }
}
