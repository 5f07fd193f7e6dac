import PostgresClient

extension SyncCursors {
  /// ``renew(in:random:)`` for a PostgreSQL database.
  static func renew(at address: PostgresAddress, random: any RandomSource) throws {
    let connection = try PostgresConnection(address)
    defer { connection.close() }
    let shared = PostgresSQLConnection(connection)
    try shared.begin()
    try SyncEpoch.set(SyncEpoch.fresh(random), in: shared)
    try shared.commit()
  }
}
