/// A connection to PostgreSQL, used by one thread, which waits for each answer. Statements are prepared when they are
/// first run, and kept.
///
/// ```swift
/// let connection = try PostgresConnection(address)
/// try connection.transaction {
///   try connection.query("UPDATE orders SET finished_at = $2 WHERE id = $1", [.text(id), .integer(now)])
/// }
/// ```
///
/// After an error whose kind is `connectionLost`, `outcomeUnknown`, or `deadlineExceeded` without an SQLSTATE, the
/// connection is closed.
public final class PostgresConnection {
  let session: LibPQSession
  var settings: PostgresSettings
  private var cache = StatementCache()
  /// Which generation of a pool's connections it belongs to.
  var generation: UInt64 = 0

  /// Opens a connection to the first host of the address that will do.
  ///
  /// - Parameter timeline: what the connection shares with others that are to reach no older primary.
  public init(
    _ address: PostgresAddress, settings: PostgresSettings = PostgresSettings(), timeline: PostgresTimeline? = nil
  ) throws(PostgresError) {
    session = try LibPQSession.connect(address, settings: settings, timeline: timeline)
    self.settings = settings
  }

  /// Whether it can still be used.
  public var isOpen: Bool { session.isOpen }

  /// Whether a transaction is open, also one in which a statement has failed.
  public var isInTransaction: Bool { session.isInTransaction }

  /// Ends the session. An open transaction is rolled back.
  public func close() { session.close() }

  /// Whether the server has not ended the session meanwhile.
  public func isAlive() -> Bool { (try? session.checkAlive()) != nil }

  /// Runs a statement with parameters `$1`, `$2`…
  @discardableResult
  public func query(
    _ sql: String, _ parameters: [PostgresParameter] = []
  ) throws(PostgresError) -> PostgresResult {
    do {
      return try run(sql, parameters)
    } catch {
      guard error.kind == .statementOutdated else { throw error }
      cache.removeAll()
      // Inside a transaction the error has ended it.
      guard isOpen, !isInTransaction else { throw error }
      return try run(sql, parameters)
    }
  }

  /// Runs several statements without parameters, separated by semicolons; outside of a transaction they are one.
  public func run(script: String) throws(PostgresError) {
    try Self.requireNoNull(script)
    _ = try succeed(session.exchange(until: settings.answerDeadline) { LibPQ.send($0, script: script) })
  }

  private func run(_ sql: String, _ parameters: [PostgresParameter]) throws(PostgresError) -> PostgresResult {
    let encoded = try EncodedParameters(parameters)
    let cached = cache.statement(sql, for: parameters)
    let statement = if let cached { cached } else { try prepare(sql, for: parameters) }
    return try succeed(
      session.exchange(until: settings.answerDeadline) { LibPQ.send($0, statement: statement.name, encoded) }
    ).read()
  }

  private func prepare(
    _ sql: String, for parameters: [PostgresParameter]
  ) throws(PostgresError) -> StatementCache.Statement {
    try Self.requireNoNull(sql)
    if cache.isFull {
      try run(script: "DEALLOCATE ALL")
      cache.removeAll()
    }
    let name = cache.nextName()
    let known = parameters.map(\.type)
    let deadline = settings.answerDeadline
    _ = try succeed(session.exchange(until: deadline) { LibPQ.send($0, prepare: sql, name: name, types: known) })
    var types = known.compactMap(\.self)
    if types.count < known.count {
      types = try succeed(session.exchange(until: deadline) { LibPQ.send($0, describe: name) }).parameterTypes
    }
    let statement = StatementCache.Statement(name: name, types: types)
    cache.add(statement, for: sql)
    return statement
  }

  private static func requireNoNull(_ sql: String) throws(PostgresError) {
    guard !sql.utf8.contains(0) else {
      throw PostgresError(.invalidValue, message: "expected a statement without U+0000, but it contains one")
    }
  }
}

extension PostgresConnection {
  /// The answer, unless it is an error.
  func succeed(_ answer: Answer) throws(PostgresError) -> Answer {
    guard let failure = answer.failure else { return answer }
    throw PostgresError(failure)
  }
}

extension LibPQSession {
  /// ``answer(until:to:)`` with the errors of the client.
  func exchange(
    until deadline: ContinuousClock.Instant?, _ send: (OpaquePointer) -> Int32
  ) throws(PostgresError) -> Answer {
    do throws(Silence) {
      return try answer(until: deadline, to: send)
    } catch { throw PostgresError(error) }
  }
}

extension PostgresError {
  init(_ silence: LibPQSession.Silence) {
    switch silence {
    case .lost(let sqlState, let message): self.init(.connectionLost, sqlState: sqlState, message: message)
    case .deadline: self.init(.deadlineExceeded, message: "the server did not answer in time")
    }
  }

  init(_ failure: Answer.Failure) {
    let kind = failure.sqlState.map { Kind(sqlState: $0, routine: failure.routine) } ?? .other
    self.init(kind, sqlState: failure.sqlState, message: failure.message, constraint: failure.constraint)
  }
}
