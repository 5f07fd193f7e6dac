import OnsideCommerce

/// The end of a sync: its cursor and the account's region at the store.
struct SyncEnd: Hashable, Sendable {
  let cursor: String
  let country: CountryCode
  /// Whether the sync contained no change.
  let isEmpty: Bool
  /// Whether the sync was a full one, not one of changes.
  var startedOver = false
}
