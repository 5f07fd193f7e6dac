package import Foundation

/// The epoch of cursors: a name for the history in which changes and events are numbered. A restored backup begins
/// another epoch, because it reuses numbers that devices and servers have seen with other changes.
package enum SyncEpoch {
  private static let name = "sync_epoch"
  /// The name of the setting with the lowest sequence of new events.
  package static let sequenceBaseName = "sequence_base"

  package static func current(in connection: any SQLConnection) throws -> String {
    try StoreSettings(connection: connection).value(name) ?? ""
  }

  /// A new random epoch.
  package static func fresh(_ random: any RandomSource) -> String { random.token(bytes: 6) }

  /// Begins an epoch, and raises ``sequenceBase(in:)`` to the time in seconds since 1970. An object has less than one
  /// event a second, so that the next sequence is higher than that of any lost event.
  package static func set(_ epoch: String, at now: Date, in connection: any SQLConnection) throws {
    let settings = StoreSettings(connection: connection)
    try settings.set(name, to: epoch)
    let base = max(try sequenceBase(in: connection), Int64(now.timeIntervalSince1970))
    try settings.set(sequenceBaseName, to: String(base))
  }

  /// The lowest sequence that a new event of an object may have: 1 in the first epoch.
  package static func sequenceBase(in connection: any SQLConnection) throws -> Int64 {
    try StoreSettings(connection: connection).value(sequenceBaseName).flatMap { Int64($0) } ?? 1
  }

  /// Begins the first epoch, unless there is one.
  package static func begin(_ database: any Database, _ random: any RandomSource) async throws {
    let fresh = fresh(random)
    try await database.write { _ = try StoreSettings(connection: $0).value(name, orSet: fresh) }
  }
}
