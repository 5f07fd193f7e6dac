import Logging
import OnsideAPI

extension OnsideClient {
  /// Shows the page on which the user asks the store for a refund of a purchase; logs in first if need be.
  ///
  /// - Parameters:
  ///   - transaction: the purchase.
  ///   - completion: called once, on the main actor, when the page has closed or why it was not shown.
  public func presentRefundRequest(
    for transaction: OnsidePaymentTransaction,
    completion: (@MainActor (Result<Void, OnsideRefundRequestError>) -> Void)? = nil
  ) {
    Task { completion?(await refundRequested(for: transaction.transactionIdentifier)) }
  }

  /// The same, waiting for the page to close. Its name differs, since in an async function Swift would take it for the
  /// one with a completion.
  public func requestRefund(for transaction: OnsidePaymentTransaction) async throws(OnsideRefundRequestError) {
    try await refundRequested(for: transaction.transactionIdentifier).get()
  }

  /// - Parameter identifier: the transaction's identifier at the store.
  func refundRequested(for identifier: String?) async -> Result<Void, OnsideRefundRequestError> {
    guard localStore == nil else { return .failure(.notSupportedInLocalTesting) }
    guard let order = identifier.flatMap(OrderID.init) else { return .failure(.purchaseNotFound) }
    if case .failure = await account.ensureSignedIn() { return .failure(.loginDiscarded) }
    // The store may refund at once.
    defer { storePageClosed() }
    do {
      try await store.presentRefundRequest(of: order, on: dependencies.screens)
    } catch {
      switch error {
      case .cancelled: break
      case .notSignedIn:
        account.sessionEnded()
        return .failure(.loginDiscarded)
      case .notFound: return .failure(.purchaseNotFound)
      default:
        dependencies.logger.error("expected to show the refund request, but the store said \(error)")
        return .failure(.presentationFailed)
      }
    }
    return .success(())
  }
}
