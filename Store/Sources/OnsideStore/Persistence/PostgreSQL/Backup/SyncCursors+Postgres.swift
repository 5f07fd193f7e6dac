import PostgresClient

extension SyncCursors {
  /// ``renew(in:random:)`` for a PostgreSQL database.
  static func renew(at url: PostgresURL, random: any RandomSource) throws {
    let connection = try PostgresConnection(PostgresAddress(url.text))
    defer { connection.close() }
    let shared = PostgresSQLConnection(connection)
    try shared.begin()
    try SyncEpoch.set(SyncEpoch.fresh(random), in: shared)
    try shared.commit()
  }
}
