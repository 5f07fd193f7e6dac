/// One server for the tests of a process, each of which makes a database of its own.
public enum SharedPostgresServer {
  private static let starting = Task {
    try await PostgresServer(flushes: false, configuration: "max_connections = 300")
  }

  /// The server, which the first caller starts.
  public static var server: PostgresServer {
    get async throws { try await starting.value }
  }
}
