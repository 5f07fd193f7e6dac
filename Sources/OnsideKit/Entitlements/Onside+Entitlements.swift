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
  /// The store signs the list. It is on disk for the next launch, which has it without a network, verified anew, until
  /// the end of each subscription and for 90 days at most. A clock that is set back by more than an hour makes nothing
  /// active until the store has been reached. The first call reads the disk; when that has no list of the account, or
  /// one in which something that renews has ended, it waits for the store's answer or failure; each request has 15 s. A
  /// purchase changes the list soon after it is paid, when the queue has an observer; deliver and finish the
  /// transaction all the same. The list on disk is no secret and no proof against the device's owner: what is worth an
  /// attack is given by the app's server, which verifies the signed history.
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
