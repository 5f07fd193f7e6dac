import OnsideCommerce

/// The end of a sync: its cursor and the account's region at the store.
struct SyncEnd: Hashable, Sendable {
  let cursor: String
  let country: CountryCode
  /// Whether it brought nothing new.
  let isEmpty: Bool
  /// Whether it was asked for everything, not for what changed.
  var startedOver = false
}
