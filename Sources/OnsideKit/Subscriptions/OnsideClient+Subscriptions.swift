import Logging
import OnsideAPI

extension OnsideClient {
  /// The account's subscription in a group: see ``Onside/subscriptionStatus(group:)``.
  public func subscriptionStatus(group: String) async throws -> OnsideSubscriptionStatus {
    let none = OnsideSubscriptionStatus(groupIdentifier: group, state: .notSubscribed)
    guard account.signedIn != nil else { return none }
    do {
      let answer = try await withDeadline(StoreConnection.deadline, sleep: dependencies.sleep) { [store] in
        try await store.subscriptions()
      }
      guard let answer else { throw OnsideFailure.offline }
      return answer.subscriptions.first { $0.groupID == group }.map(OnsideSubscriptionStatus.init) ?? none
    } catch let error as StoreError {
      if error == .notSignedIn {
        account.sessionEnded()
        return none
      }
      if let detail = error.detail { dependencies.logger.error("Subscriptions could not be loaded: \(detail)") }
      throw OnsideFailure(error).map { $0 as any Error } ?? CancellationError()
    }
  }
}
