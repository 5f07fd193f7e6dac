// Subscriptions of the account: an addition to the published API.
extension Onside {
  /// Asks the store where the account's subscription in a group stands: state, end, renewal, next product and price.
  ///
  /// ```swift
  /// let status = try await Onside.subscriptionStatus(group: "plans")
  /// if status.state == .inGracePeriod {
  ///   try await Onside.managePaymentMethods()
  /// }
  /// ```
  ///
  /// It never shows a login. Whether the account may have an introductory offer, the products say
  /// (``OnsideProduct/introductoryPrice``).
  ///
  /// - Parameter group: the subscription group, as in ``OnsideProduct/subscriptionGroupIdentifier``.
  /// - Returns: the status; its state is ``OnsideSubscriptionState/notSubscribed`` for an account that never subscribed
  ///   in the group, and while logged out.
  /// - Throws: ``OnsideFailure``, such as ``OnsideFailure/offline``; `CancellationError` when the task is cancelled.
  public static func subscriptionStatus(group: String) async throws -> OnsideSubscriptionStatus {
    try await client().subscriptionStatus(group: group)
  }
}
