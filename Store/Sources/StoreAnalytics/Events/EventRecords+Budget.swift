import Foundation
import StoreBase
import StoreWeb

/// The bytes of the events that an app has reported on a day (UTC).
extension EventRecords {
  /// The bytes of the events that an app has reported on the day of a time.
  static func bytes(of app: String, on time: Date, in connection: any SQLConnection) throws -> Int {
    let row = try connection.row(
      "SELECT bytes FROM event_days WHERE day = $1 AND app_id = $2", [.integer(time.dayNumber), .text(app)])
    return Int(try row?.integer("bytes") ?? 0)
  }

  /// Adds the bytes of new events to an app's day.
  static func add(_ bytes: Int, app: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO event_days(day, app_id, bytes) VALUES ($1, $2, $3)
      ON CONFLICT(day, app_id) DO UPDATE SET bytes = event_days.bytes + excluded.bytes
      """, [.integer(transaction.now.dayNumber), .text(app), .integer(bytes)])
  }

  /// Deletes some sums of days that have no events any more; returns how many.
  static func clear(daysBefore date: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(
      from: "event_days", where: "day < $1", [.integer(date.dayNumber)], key: "day, app_id")
  }
}
