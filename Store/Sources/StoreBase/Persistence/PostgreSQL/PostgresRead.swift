import PostgresClient

/// A read of one state of the data, which runs again when its connection was lost.
struct PostgresRead {
  private let readers: PostgresPool

  init(_ readers: PostgresPool) { self.readers = readers }

  /// The transaction of a read was lost through no fault of its own.
  private struct Lost: Error { let reason: StorageError }

  func run<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    let end = ContinuousClock.now + PostgresDatabase.patience
    while true {
      do {
        return try await readers.run { [readers] connection in
          // The others would each wait for the same server.
          defer { if !connection.isOpen { readers.closeAll(asOldAs: connection) } }
          return try Self.read(with: connection, body)
        }
      } catch let error as Lost {
        guard ContinuousClock.now < end else { throw error.reason }
      } catch let error as PostgresError {
        guard error.mayConnectLater, ContinuousClock.now < end else { throw StorageError(error) }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private static func read<T>(
    with connection: PostgresConnection, _ body: (any SQLConnection) throws -> T
  ) throws -> T {
    let shared = PostgresSQLConnection(connection)
    defer { connection.rollback() }
    do {
      try shared.run { () throws(PostgresError) in try connection.begin(.snapshot) }
      return try body(shared)
    } catch {
      // A read that tried to write is at fault itself.
      guard shared.mayRunAgain, let failure = shared.failure, failure.kind != .readOnly else { throw error }
      throw Lost(reason: StorageError(failure))
    }
  }
}
