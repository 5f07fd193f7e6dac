import PostgresClient

extension SyncCursors {
  /// ``renew(in:random:)`` for a PostgreSQL database, such as one that was restored to a point in time.
  public static func renew(inDatabaseAt url: String, random: any RandomSource = SystemRandom()) throws {
    try renew(at: PostgresAddress(url), random: random)
  }

  static func renew(at address: PostgresAddress, random: any RandomSource) throws {
    let connection = try PostgresConnection(address)
    defer { connection.close() }
    let shared = PostgresSQLConnection(connection)
    try shared.begin()
    try SyncEpoch.set(SyncEpoch.fresh(random), in: shared)
    try shared.commit()
  }
}
