import Foundation
import PostgresClient
import StoreBase
import StoreSales

extension SyncCursors {
  /// Begins a new epoch in a PostgreSQL database.
  ///
  /// - Parameter suspendsCharges: false after a failover, which leaves no second database.
  static func renew(
    at url: PostgresURL, now: Date, random: any RandomSource, suspendsCharges: Bool
  ) throws {
    let connection = try PostgresConnection(PostgresAddress(url.text))
    defer { connection.close() }
    let shared = PostgresSQLConnection(connection)
    try shared.begin()
    try SyncEpoch.set(SyncEpoch.fresh(random), at: now, in: shared)
    if suspendsCharges { try ChargeSuspension.begin(in: shared) }
    try shared.commit()
  }
}
