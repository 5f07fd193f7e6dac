extension OnsideClient {
  /// What the logged-in account may use in this app: see ``Onside/entitlements``.
  public var entitlements: [OnsideEntitlement] {
    get async { await entitlementController.current() }
  }

  /// The list behind ``entitlements`` as the store has signed it: see ``Onside/signedEntitlements``.
  public var signedEntitlements: String? {
    get async { await entitlementController.signed() }
  }

  /// What the logged-in account may use in this app, now and after each change: see ``Onside/entitlementUpdates``.
  public var entitlementUpdates: AsyncStream<[OnsideEntitlement]> { entitlementController.updates() }
}
