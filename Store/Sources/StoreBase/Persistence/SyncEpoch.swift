/// The epoch of sync cursors: a name for the history in which changes are numbered. A restored backup begins another
/// epoch, because it reuses numbers that devices have seen with other changes.
package enum SyncEpoch {
  private static let name = "sync_epoch"

  package static func current(in connection: any SQLConnection) throws -> String {
    try StoreSettings(connection: connection).value(name) ?? ""
  }

  /// A new random epoch.
  package static func fresh(_ random: any RandomSource) -> String { random.token(bytes: 6) }

  /// Begins an epoch.
  package static func set(_ epoch: String, in connection: any SQLConnection) throws {
    try StoreSettings(connection: connection).set(name, to: epoch)
  }

  /// Begins the first epoch, unless there is one.
  package static func begin(_ database: any Database, _ random: any RandomSource) async throws {
    let fresh = fresh(random)
    try await database.write { _ = try StoreSettings(connection: $0).value(name, orSet: fresh) }
  }
}
