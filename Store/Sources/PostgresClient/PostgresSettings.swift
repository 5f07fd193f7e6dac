/// The limits of connections.
public struct PostgresSettings: Sendable {
  /// How long one host may take to accept a connection.
  public var connectTimeout: Duration
  /// How long a statement may run. The server is told, and ends a statement that runs longer; from a server that says
  /// nothing, the client waits a second longer and then closes the connection. Nil: without a limit.
  public var statementTimeout: Duration?
  /// How long the server keeps a transaction in which nothing happens: the process that began it may be frozen, and its
  /// locks keep the others waiting.
  public var idleTransactionTimeout: Duration
  /// What the server's list of sessions shows.
  public var applicationName: String

  /// Limits that suit a store.
  public init(
    connectTimeout: Duration = .seconds(3), statementTimeout: Duration? = .seconds(10),
    idleTransactionTimeout: Duration = .seconds(10), applicationName: String = "onside"
  ) {
    self.connectTimeout = connectTimeout
    self.statementTimeout = statementTimeout
    self.idleTransactionTimeout = idleTransactionTimeout
    self.applicationName = applicationName
  }
}

extension PostgresSettings {
  /// How much longer than the server the client waits.
  private static let grace = Duration.seconds(1)

  /// When the client stops waiting for the answer to a statement that is sent now.
  var answerDeadline: ContinuousClock.Instant? { statementTimeout.map { .now + $0 + Self.grace } }

  /// The server's settings for a session, in the form of libpq's `options`.
  var options: String {
    let values = [
      ("statement_timeout", (statementTimeout ?? .zero).milliseconds),
      ("idle_in_transaction_session_timeout", idleTransactionTimeout.milliseconds),
      // A statement whose client is gone ends, and with it its locks.
      ("client_connection_check_interval", 1000),
    ]
    return values.map { "-c \($0)=\($1)" }.joined(separator: " ")
  }
}

extension Duration {
  /// Rounded up: a duration that is not zero does not become zero, which the server takes for no limit.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
