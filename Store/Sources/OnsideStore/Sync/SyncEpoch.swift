import GRDB

/// The epoch of sync cursors: a name for the history in which changes are numbered. A restored backup begins another
/// epoch, because it reuses numbers that devices have seen with other changes.
enum SyncEpoch {
  private static let name = "sync_epoch"

  static func current(in connection: any SQLConnection) throws -> String {
    try StoreSettings(connection: connection).value(name) ?? ""
  }

  /// A new random epoch.
  static func fresh(_ random: any RandomSource) -> String { random.token(bytes: 6) }

  /// Begins an epoch.
  static func set(_ epoch: String, in connection: any SQLConnection) throws {
    try StoreSettings(connection: connection).set(name, to: epoch)
  }

  /// Begins the first epoch, unless there is one.
  static func begin(_ database: any Database, _ random: any RandomSource) async throws {
    let fresh = fresh(random)
    try await database.write { _ = try StoreSettings(connection: $0).value(name, orSet: fresh) }
  }
}

/// The cursors of a database file that was put in place by hand.
public enum SyncCursors {
  /// Begins a new epoch, so that every device's next sync starts over, and suspends charges. The schema may be of any
  /// version, and a store may be serving.
  public static func renew(in path: String, random: any RandomSource = SystemRandom()) throws {
    try SQLiteDatabase.explaining(path) {
      let lock = try DatabaseLock(database: path)
      try lock.share()
      var configuration = GRDB.Configuration()
      configuration.busyMode = .timeout(SQLiteDatabase.busyTimeout)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      let fresh = SyncEpoch.fresh(random)
      try queue.write { database in
        let connection = SQLiteConnection(database: database)
        try SyncEpoch.set(fresh, in: connection)
        try ChargeSuspension.begin(in: connection)
      }
    }
  }
}
