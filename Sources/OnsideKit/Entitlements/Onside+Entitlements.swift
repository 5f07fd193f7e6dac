// What the account may use: additions to the published API.
extension Onside {
  /// What the logged-in account may use in this app, and what it could use before; empty while logged out.
  ///
  /// One question for all that lasts: bought on this device or elsewhere, renewed, in a grace period, refunded. Unlock
  /// what is active; there is no need to keep a record of your own.
  ///
  /// ```swift
  /// let isPro = await Onside.entitlements.contains { $0.productIdentifier == "pro_monthly" && $0.isActive }
  /// ```
  ///
  /// After a purchase, a redeemed code, a change of plan or a refund, the first call returns the new list: it waits for
  /// one request to the store, or for its failure.
  ///
  /// ```swift
  /// if case .purchased = try await Onside.defaultPaymentQueue().purchase(product) {
  ///   let isPro = await Onside.entitlements.contains { $0.productIdentifier == "pro_monthly" && $0.isActive }
  /// }
  /// ```
  ///
  /// The call waits as long when the disk has no list of the account, when a period that renews has ended and when the
  /// clock was set back by more than an hour; each request has 15 s. Otherwise it returns the list on disk, which is
  /// verified anew in each launch and valid without a network until the end of each subscription, for 90 days at most.
  /// With a clock that is set back by more than an hour, nothing is active until the store has been reached.
  ///
  /// The list on disk is no secret and no proof against the device's owner: what is worth an attack is given by the
  /// app's server, which verifies the signed history.
  public static var entitlements: [OnsideEntitlement] {
    get async { await client().entitlements }
  }

  /// The list behind ``entitlements`` as the store has signed it, for the app's server: a compact JWS, which
  /// `OnsideVerifier.verifyEntitlementList` of the library `OnsideVerify` verifies. `nil` while logged out, and without
  /// a list.
  public static var signedEntitlements: String? {
    get async { await client().signedEntitlements }
  }

  /// What the logged-in account may use, as a sequence: first as it is now, then after each purchase, renewal, end,
  /// refund, login and logout.
  ///
  /// Each loop has a sequence of its own; one that is slow gets the latest value.
  ///
  /// ```swift
  /// for await entitlements in Onside.entitlementUpdates {
  ///   let active = entitlements.filter(\.isActive).map(\.productIdentifier)
  ///   print("unlocked: \(active)")
  /// }
  /// ```
  public static var entitlementUpdates: AsyncStream<[OnsideEntitlement]> { client().entitlementUpdates }
}
