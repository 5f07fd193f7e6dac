import Logging

extension OnsideClient {
  /// Shows the page on which the user sees, adds and removes payment methods; logs in first if need be.
  /// - Parameter completion: called once, on the main actor, when the page has closed or why it was not shown.
  public func presentPaymentMethodsManager(
    completion: (@MainActor (Result<Void, OnsidePaymentMethodsManagerError>) -> Void)? = nil
  ) {
    Task { completion?(await paymentMethodsManaged()) }
  }

  /// The same, waiting for the page to close. An addition to the published API; its name differs, since in an async
  /// function Swift would take it for the published one.
  public func managePaymentMethods() async throws(OnsidePaymentMethodsManagerError) {
    try await paymentMethodsManaged().get()
  }

  private func paymentMethodsManaged() async -> Result<Void, OnsidePaymentMethodsManagerError> {
    guard localStore == nil else { return .failure(.notSupportedInLocalTesting) }
    if case .failure = await account.ensureSignedIn() { return .failure(.loginDiscarded) }
    do {
      try await store.presentPaymentMethods(on: dependencies.screens)
    } catch {
      switch error {
      case .cancelled: break
      case .notSignedIn:
        account.sessionEnded()
        return .failure(.loginDiscarded)
      default:
        dependencies.logger.error("expected to show the payment methods, but the store said \(error)")
        return .failure(.presentationFailed)
      }
    }
    return .success(())
  }
}
