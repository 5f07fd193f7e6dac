// Codes of offers: an addition to the published API.
extension Onside {
  /// Shows the page on which the user redeems the code of an offer of this app, and returns when it has closed; logs in
  /// first if necessary.
  ///
  /// The user enters the code, sees the price now and later, and pays. What was redeemed reaches the app like a
  /// purchase made elsewhere: the observers hear of a paid transaction whose
  /// ``OnsidePaymentTransaction/deliveryReason`` is ``OnsideDeliveryReason/elsewhere``, and ``entitlementUpdates`` of
  /// what may be used. That the page was closed says nothing about a purchase.
  ///
  /// ```swift
  /// try await Onside.presentCodeRedemption()
  /// ```
  ///
  /// - Parameter appAccountToken: the app's token for its user, at most 512 bytes of UTF-8; without one the purchase
  ///   has ``appAccountToken``. An active subscription that the code extends or changes keeps its own.
  /// - Throws: ``OnsideLoginError/loginDiscarded`` when there was no login; ``OnsideFailure`` when the page could not
  ///   be shown or the store could not be reached; ``OnsidePaymentError`` for a token that cannot be taken.
  public static func presentCodeRedemption(appAccountToken: String? = nil) async throws {
    try await client().presentCodeRedemption(appAccountToken: appAccountToken)
  }
}
