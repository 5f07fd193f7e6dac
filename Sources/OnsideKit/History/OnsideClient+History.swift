import Foundation

extension OnsideClient {
  /// A request for the signed history; `.notLoggedIn` at once while signed out (ACC-6), and
  /// `.notSupportedInLocalTesting` in local testing (HIS-2).
  public func makeSignedInAppsHistoryRequest()
    -> Result<any OnsideSignedInAppsHistoryRequest, OnsideSignedInAppsHistoryRequestError>
  {
    guard localStore == nil else { return .failure(.notSupportedInLocalTesting) }
    guard account.signedIn != nil else { return .failure(.notLoggedIn) }
    return .success(
      SignedInAppsHistoryRequest { [weak self] in
        guard let self else { return .failure(.cancelled) }
        return await self.loadHistory()
      })
  }

  /// The account's purchases in this app, signed. An addition to the published API.
  public func signedInAppsHistory()
    async throws(OnsideSignedInAppsHistoryRequestError) -> OnsideSignedInAppsHistory
  {
    guard localStore == nil else { throw .notSupportedInLocalTesting }
    guard account.signedIn != nil else { throw .notLoggedIn }
    return try await loadHistory().get()
  }

  private func loadHistory() async -> SignedInAppsHistoryRequest.Outcome {
    do {
      let jws = try await withDeadline(StoreConnection.deadline, sleep: dependencies.sleep) { [store] in
        try await store.signedHistory()
      }
      guard let jws else { return .failure(.connectionError) }
      return .success(OnsideSignedInAppsHistory(data: Data(jws.utf8)))
    } catch {
      return .failure(OnsideSignedInAppsHistoryRequestError(error as? StoreError ?? .cancelled))
    }
  }
}

extension OnsideSignedInAppsHistoryRequestError {
  /// The published case for what went wrong.
  init(_ error: StoreError) {
    switch error {
    case .connection, .notTheStore: self = .connectionError
    case .appNotRegistered, .notFound: self = .appNotRegistered
    case .serviceUnavailable: self = .serviceUnavailable
    case .notSignedIn: self = .notLoggedIn
    case .cancelled: self = .cancelled
    case .refused, .storefrontChanged, .presentationFailed, .internalError: self = .internalError
    }
  }
}
