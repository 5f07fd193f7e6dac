/// A rule of the payment queue that a simulation breaks at the queue's border, to show that the break is found.
public enum BrokenRule: String, CaseIterable, Sendable {
  /// QUE-7: a confirmed write survives a power cut. Broken: nothing is flushed.
  case onDiskBeforeTold = "on-disk-before-told"
  /// QUE-12: a finish is on the disk before the app is notified. Broken: tombstones are not written.
  case tombstoneBeforeRemoved = "tombstone-before-removed"
  /// QUE-9: the store reports the outcome of a payment. Broken: a closed screen counts as cancelled.
  case outcomeIsAsked = "outcome-is-asked"
  /// QUE-12: a finish is sent until the store confirms it. Broken: it is sent once.
  case finishIsRepeated = "finish-is-repeated"
  /// QUE-13: a finish is sent with the account's own session also after a logout. Broken: it waits for the next login.
  case finishBeforeSessionEnds = "finish-before-session-ends"
  /// QUE-22: a consumable is delivered on one device at a time. Broken: the queue cannot see that device.
  case oneDeviceDelivers = "one-device-delivers"
  /// QUE-22: an unfinished consumable of an earlier launch is claimed before it is delivered again. Broken: the claim
  /// is not sent.
  case redeliveryIsClaimed = "redelivery-is-claimed"
  /// QUE-23: only answers of the store are final. Broken: a captive portal's answer to a finish is accepted.
  case onlyTheStoreIsFinal = "only-the-store-is-final"
  /// QUE-19: a purchase refunded before its delivery is not delivered. Broken: the answer about a payment hides the
  /// refund.
  case refundIsLookedAt = "refund-is-looked-at"
  /// QUE-19: a refund is notified once. Broken: the record of the notification is not written.
  case refundIsToldOnce = "refund-is-told-once"
  /// QUE-19: a refund is notified on devices that have delivered the purchase. Broken: the store reports every refunded
  /// purchase as finished by this device.
  case refundNeedsDelivery = "refund-needs-delivery"
  /// QUE-20: a sync that starts over contains refunds. Broken: it does not.
  case syncTellsRefunds = "sync-tells-refunds"
  /// QUE-27: one of several `purchase` calls that join one payment delivers it. Broken: all of them do.
  case oneCallDelivers = "one-call-delivers"
}
