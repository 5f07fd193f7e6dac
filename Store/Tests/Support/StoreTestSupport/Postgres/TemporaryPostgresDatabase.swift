/// A PostgreSQL database of one test; `deinit` removes it, and ends the connections to it.
public final class TemporaryPostgresDatabase: Sendable {
  /// The database's name.
  public let name: String
  private let server: PostgresServer

  init(_ name: String, on server: PostgresServer) {
    self.name = name
    self.server = server
  }

  deinit {
    // A failure leaves the database to the end of the server, which deletes all of them.
    Task { [name, server] in try? await server.removeDatabase(name) }
  }
}
