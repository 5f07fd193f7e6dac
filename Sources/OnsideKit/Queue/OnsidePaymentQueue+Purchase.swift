/// Buying with one call. An addition to the published API.
extension OnsidePaymentQueue {
  /// Buys a product and returns when it is paid, or is known not to be; logs the user in first if necessary.
  ///
  /// ```swift
  /// switch try await Onside.defaultPaymentQueue().purchase(product) {
  /// case .purchased: say("Thank you.")  // the observer has delivered it
  /// case .pending: say("Your payment is being processed.")
  /// case .cancelled, .loginDiscarded: break
  /// }
  /// ```
  ///
  /// It is ``OnsidePaymentQueue/add(_:completion:)`` with the outcome: the same journal, order, gates and page.
  /// Observers get the transaction as always, the outcome included, before this call returns. Deliver in the observer:
  /// a purchase that is paid later, or after a crash, comes there only. Without an observer the queue starts no payment
  /// (QUE-1), and this call waits until there is one; the streams `updates` and ``events`` count.
  ///
  /// Two calls for the same payment, such as a double tap, join one order. One of them returns `.purchased`, the other
  /// one `.pending`.
  ///
  /// Cancelling the task ends the wait only: the payment goes on, and observers get its outcome. ``cancel(_:)`` cancels
  /// a payment. A failed transaction is finished by this call.
  ///
  /// - Parameters:
  ///   - product: the product, as a products request returned it.
  ///   - appAccountToken: the app's token for its user, at most 512 bytes of UTF-8.
  ///   - quantity: the number of units, 1 to 1000; more than 1 of consumables only, and without an offer.
  ///   - offer: the offer to buy it with; without one the price is the regular one, or the introductory one where the
  ///     account may have it.
  /// - Returns: `.purchased` with the transaction; `.pending` while the outcome is open; `.cancelled`;
  ///   `.loginDiscarded` if the user did not log in.
  /// - Throws: ``OnsideFailure``: `.offline` and `.serviceUnavailable` when the order could not be made,
  ///   `.storageFull`, `.storageInUse`, `.notAvailable` for a product that is not sold (any more), or an offer that the
  ///   account may not have, `.presentationFailed` when the page could not be shown, and others.
  ///   ``OnsidePaymentQueueAddProductError/rejectedAfterLogin`` when the delegate refused, ``OnsidePaymentError``
  ///   for a token or a quantity that cannot be taken, `CancellationError` when the task was cancelled. Nothing is
  ///   charged, except that after a `CancellationError` the payment may still be made.
  public func purchase(
    _ product: OnsideProduct, appAccountToken: String? = nil, quantity: Int = 1, offer: OnsidePaymentOffer? = nil
  ) async throws -> OnsidePurchaseResult {
    var payment = OnsidePayment(product: product)
    payment.appAccountToken = appAccountToken
    payment.quantity = quantity
    payment.offer = offer
    if let error = OnsidePaymentError(checking: payment) { throw error }
    try Task.checkCancellation()
    do {
      guard let queue = self as? PaymentQueue else { return try await outcome(of: payment) }
      return try await queue.purchase(payment)
    } catch OnsidePaymentQueueAddProductError.loginDiscarded {
      return .loginDiscarded
    }
  }

  /// The same for queues that an app's own tests implement: the first final state that was not there before.
  private func outcome(of payment: OnsidePayment) async throws -> OnsidePurchaseResult {
    let earlier = Set(transactions.filter { $0.transactionState != .purchasing }.map(\.id))
    let updates = updates
    try await add(payment)
    for await transaction in updates where transaction.payment == payment && !earlier.contains(transaction.id) {
      switch transaction.transactionState {
      case .purchasing: continue
      case _ where transaction.revocationDate != nil: return .cancelled
      case .purchased, .restored: return .purchased(transaction)
      case .failed:
        finishTransaction(transaction)
        if transaction.error == .presentationFailed { throw transaction.failure ?? .presentationFailed }
        return .cancelled
      }
    }
    throw CancellationError()
  }
}
