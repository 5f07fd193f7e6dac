/// A rule of the payment queue that a simulation breaks at the queue's border, to show that it would be found.
public enum BrokenRule: String, CaseIterable, Sendable {
  /// QUE-7: what is told to be on the disk is there also after a power cut. Broken: nothing is flushed.
  case onDiskBeforeTold = "on-disk-before-told"
  /// QUE-12: a finish is on the disk before the app is told. Broken: tombstones are not written.
  case tombstoneBeforeRemoved = "tombstone-before-removed"
  /// QUE-9: the outcome of a payment is asked from the store. Broken: a screen that was closed means cancelled.
  case outcomeIsAsked = "outcome-is-asked"
  /// QUE-12: the store is told of a finish until it has heard it. Broken: it is told once.
  case finishIsRepeated = "finish-is-repeated"
  /// QUE-13: a finish is sent with the account's own session also after a logout. Broken: it waits for the next login.
  case finishBeforeSessionEnds = "finish-before-session-ends"
  /// QUE-22: a consumable is delivered on one device at a time. Broken: whose delivery it is makes no difference.
  case oneDeviceDelivers = "one-device-delivers"
  /// QUE-23: only the store's own word is final. Broken: what a captive portal says to a finish is believed.
  case onlyTheStoreIsFinal = "only-the-store-is-final"
  /// QUE-19: what was refunded before it was told is never told as purchased. Broken: the answer about a payment does
  /// not say so.
  case refundIsLookedAt = "refund-is-looked-at"
  /// QUE-19: a refund is told once. Broken: the note that it was told is not written.
  case refundIsToldOnce = "refund-is-told-once"
  /// QUE-20: a sync that starts over tells what was taken back. Broken: it does not.
  case syncTellsRefunds = "sync-tells-refunds"
}
