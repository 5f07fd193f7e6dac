/// Names the line of history in which changes are numbered. A restored backup begins another one: it gives numbers again
/// that devices have seen with other changes.
enum SyncEpoch {
  private static let name = "sync_epoch"

  static func current(_ connection: any SQLConnection) throws -> String {
    try StoreSettings(connection: connection).value(name) ?? ""
  }

  /// Names the first one, unless there is one.
  static func begin(_ database: any Database, _ random: any RandomSource) async throws {
    let fresh = random.token(bytes: 6)
    try await database.write { _ = try StoreSettings(connection: $0).value(name, orSet: fresh) }
  }

  static func renew(_ database: any Database, _ random: any RandomSource) async throws {
    let fresh = random.token(bytes: 6)
    try await database.write { try StoreSettings(connection: $0).set(name, fresh) }
  }
}

extension StoreCore {
  /// To be called after a backup was restored: every device's next sync starts over instead of going on from a number
  /// that means something else now.
  public func renewSyncCursors() async throws {
    try await SyncEpoch.renew(dependencies.database, dependencies.random)
  }
}
