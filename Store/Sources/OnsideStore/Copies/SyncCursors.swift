public import Foundation
import GRDB
public import StoreBase
import StoreSales

/// The sync cursors of a database file that was restored by hand.
public enum SyncCursors {
  /// Begins a new epoch, so that every device's next sync starts over, and suspends charges. The schema may be of any
  /// version, and a store may be serving.
  public static func renew(in path: String, at now: Date, random: any RandomSource = SystemRandom()) throws {
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
        try SyncEpoch.set(fresh, at: now, in: connection)
        try ChargeSuspension.begin(in: connection)
      }
    }
  }
}
