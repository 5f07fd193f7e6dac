extension PostgresConnection {
  /// How a transaction sees others, and what it may do.
  public enum Mode: String, Sendable {
    /// Each statement sees what was committed before it.
    case readCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    /// As if transactions ran one after the other; otherwise one of them fails with `serialization`.
    case serializable = "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE"
    /// Reads one state of the data.
    case snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  }

  /// Runs a closure in one transaction: committed when it returns, rolled back when it throws.
  public func transaction<T>(_ mode: Mode = .readCommitted, _ body: () throws -> T) throws -> T {
    try begin(mode)
    let value: T
    do { value = try body() } catch {
      rollback()
      throw error
    }
    try commit()
    return value
  }

  /// Runs a closure whose changes are undone when it throws, inside a transaction that goes on.
  public func savepoint<T>(_ body: () throws -> T) throws -> T {
    try command("SAVEPOINT client")
    let value: T
    do { value = try body() } catch {
      if isOpen { try command("ROLLBACK TO SAVEPOINT client; RELEASE SAVEPOINT client") }
      throw error
    }
    try command("RELEASE SAVEPOINT client")
    return value
  }

  /// Begins a transaction.
  public func begin(_ mode: Mode = .readCommitted) throws(PostgresError) { try command(mode.rawValue) }

  /// Rolls the transaction back. A connection on which that fails is closed, with the same effect.
  public func rollback() {
    guard isOpen, isInTransaction else { return }
    do { try command("ROLLBACK") } catch { close() }
  }

  /// Commits. `outcomeUnknown` means that the transaction may be committed or not, or committed on this server and not
  /// yet on its standby; the connection is closed then, and the COMMIT is not cancelled: a server that waits for its
  /// standby would make the commit visible at once. With every other error nothing was committed.
  public func commit() throws(PostgresError) {
    // What ended before COMMIT is sent was not committed.
    do throws(LibPQSession.Silence) { try session.checkAlive() } catch {
      throw PostgresError(.connectionLost, message: "the connection ended before COMMIT was sent")
    }
    let answer: Answer
    do throws(PostgresError) {
      answer = try session.exchange(until: settings.answerDeadline) { LibPQ.send($0, script: "COMMIT") }
    } catch {
      throw PostgresError(
        .outcomeUnknown, sqlState: error.sqlState, message: "no answer to COMMIT came: \(error.message)")
    }
    try requireCommitted(answer)
  }

  private func requireCommitted(_ answer: Answer) throws(PostgresError) {
    if let failure = answer.failure {
      guard failure.isFatal else { throw PostgresError(failure) }
      close()
      throw PostgresError(.outcomeUnknown, sqlState: failure.sqlState, message: failure.message)
    }
    // "canceling wait for synchronous replication", in whichever language.
    if let warning = session.warnings.first(where: { ["01000", "57P01"].contains($0.sqlState) }) {
      close()
      throw PostgresError(.outcomeUnknown, sqlState: warning.sqlState, message: warning.message)
    }
    guard answer.command == "COMMIT" else {
      throw PostgresError(.rolledBack, message: "a statement of the transaction had failed, so COMMIT rolled it back")
    }
  }

  private func command(_ sql: String) throws(PostgresError) { try run(script: sql) }
}
