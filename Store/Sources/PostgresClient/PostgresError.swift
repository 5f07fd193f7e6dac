/// Why PostgreSQL did not do what was asked. Nothing in it comes from a password or from a parameter's value.
public struct PostgresError: Error, Sendable, Equatable {
  /// What went wrong; compare it with the static members.
  public let kind: Kind
  /// The server's code of five characters (SQLSTATE); nil when the client found the error.
  public let sqlState: String?
  /// What the server or libpq said.
  public let message: String
  /// The rule of a table that was broken.
  public let constraint: String?

  init(_ kind: Kind, sqlState: String? = nil, message: String, constraint: String? = nil) {
    self.kind = kind
    self.sqlState = sqlState
    self.message = message
    self.constraint = constraint
  }
}

extension PostgresError {
  /// What went wrong. More kinds may come: a `switch` needs a `default`.
  public struct Kind: Sendable, Hashable {
    let name: String
    /// What the operator or the caller does about it.
    let remedy: String

    /// A serializable transaction met another one; run it again.
    public static let serialization = Kind("serialization failure", "Run the transaction again.")
    /// Two transactions waited for each other, and this one was rolled back; run it again.
    public static let deadlock = Kind("deadlock", "Run the transaction again.")
    /// A row with this key exists.
    public static let uniqueViolation = Kind("unique violation", "Read the row that has the key.")
    /// Another rule of a table was broken.
    public static let constraintViolation = Kind("constraint violation", "Change the values.")
    /// No server of the address accepts a connection.
    public static let unreachable = Kind("no server", "See whether the server runs, and whether the address is right.")
    /// The connection ended, and the transaction in it was rolled back.
    public static let connectionLost = Kind("connection lost", "Run the transaction again.")
    /// The answer to COMMIT did not come, or the commit is not known to be replicated: whether the transaction is
    /// committed has to be read by a key of its own, on a new connection.
    public static let outcomeUnknown = Kind("outcome unknown", "Read by the write's key whether it was committed.")
    /// No answer in time; the transaction is rolled back.
    public static let deadlineExceeded = Kind("deadline exceeded", "Try again; see what the server is busy with.")
    /// Another session holds a lock.
    public static let locked = Kind("locked", "Try again.")
    /// The server is a standby, or was made one.
    public static let readOnly = Kind("read-only server", "Close all connections and find the primary.")
    /// The server refuses the user or the password.
    public static let authentication = Kind(
      "authentication failure", "Correct the user or the password, or the server's pg_hba.conf.")
    /// The transaction was rolled back, because a statement in it had failed.
    public static let rolledBack = Kind("rolled back", "Handle the first error of the transaction.")
    /// The tables were changed since the statement was prepared; it is prepared anew when it runs again.
    public static let statementOutdated = Kind("statement outdated", "Run the transaction again.")
    /// No connection of the pool was free in time.
    public static let poolExhausted = Kind("pool exhausted", "Try again later, or allow more connections.")
    /// The server has no connection left.
    public static let serverFull = Kind("too many connections", "Try again, or raise max_connections.")
    /// The pool is closed.
    public static let shutDown = Kind("shut down", "Open a new pool.")
    /// A value that PostgreSQL cannot keep.
    public static let invalidValue = Kind("invalid value", "Change the value.")
    /// The server has no database of the address's name.
    public static let missingDatabase = Kind(
      "no such database", "Create it with createdb, or correct the name behind the address's last slash.")
    /// The address is not one of PostgreSQL.
    public static let invalidAddress = Kind(
      "invalid address", "Give postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX.")
    /// The statement is wrong, or a table or a right is missing.
    public static let invalidStatement = Kind("invalid statement", "Correct the statement or the tables.")
    /// The server's disk is full.
    public static let diskFull = Kind("disk full", "Make room on the server's disk.")
    /// The server's disk or its memory fails.
    public static let serverFailure = Kind("server failure", "Read the server's log.")
    /// The server's files are damaged.
    public static let damaged = Kind("damaged data", "Restore a backup.")
    /// Anything else.
    public static let other = Kind("error", "Read the server's log.")

    private init(_ name: String, _ remedy: String) {
      self.name = name
      self.remedy = remedy
    }
  }
}

extension PostgresError: CustomStringConvertible {
  /// The message for the operator: the problem and its remedy.
  public var description: String {
    let code = sqlState.map { " \($0)" } ?? ""
    let rule = constraint.map { " (\($0))" } ?? ""
    return "PostgreSQL: \(kind.name)\(code): \(message)\(rule). \(kind.remedy)"
  }
}
