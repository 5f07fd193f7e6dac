public import StoreAccounts
import StoreBase

extension AppDirectory {
  /// Closes an app's access and removes its API keys. What was bought stays on record, and so does what it sold.
  ///
  /// Throws ``AppRemovalError`` if subscriptions of the app are active: they would be charged without access.
  public func remove(_ id: String) async throws {
    try await database.write(at: clock.now()) { [removal = removal] transaction in
      let count = try SubscriptionRecords.active(of: id, at: transaction.now, in: transaction)
      guard count == 0 else { throw AppRemovalError.activeSubscriptions(count) }
      try removal(id, transaction)
      try AppRecords.remove(id, in: transaction)
    }
    try await reload()
  }
}
