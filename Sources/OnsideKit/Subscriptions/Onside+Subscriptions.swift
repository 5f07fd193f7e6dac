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

  /// Shows the page on which the user manages the subscriptions in this app, and returns when it has closed; logs in
  /// first if necessary.
  ///
  /// The user sees what runs until when and at which price, and can change the plan, pause, stop, renew again, and pay
  /// what is unpaid. Subscribing again after the end has ``appAccountToken``; an active subscription keeps its own. A
  /// plan that is bought there reaches the app like a renewal: the observers hear of a paid
  /// transaction, and ``entitlementUpdates`` of what may be used.
  ///
  /// ```swift
  /// try await Onside.presentSubscriptionsManager(group: "plans")
  /// ```
  ///
  /// - Parameter group: the subscription group that is shown; without one, the user chooses among the account's.
  /// - Throws: ``OnsideLoginError/loginDiscarded`` when there was no login; ``OnsideFailure`` when the page
  ///   could not be shown or the store could not be reached; ``OnsidePaymentError`` when ``appAccountToken`` cannot be
  ///   taken.
  public static func presentSubscriptionsManager(group: String? = nil) async throws {
    try await client().presentSubscriptionsManager(group: group)
  }
}
