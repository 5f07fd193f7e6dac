extension OnsideClient {
  /// What the logged-in account may use in this app: see ``Onside/entitlements``.
  public var entitlements: [OnsideEntitlement] {
    get async { await entitlementController.current() }
  }

  /// What the logged-in account may use in this app, now and after each change: see ``Onside/entitlementUpdates``.
  public var entitlementUpdates: AsyncStream<[OnsideEntitlement]> { entitlementController.updates() }
}
