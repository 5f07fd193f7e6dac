extension PostgresConnection {
  /// Runs a closure inside a transaction. Its statements may take as long as they need; what follows, as the commit,
  /// has its deadline again.
  public func withoutTimeout<T>(_ body: () throws -> T) throws -> T {
    let timeout = settings.statementTimeout
    try run(script: "SET LOCAL statement_timeout = 0")
    settings.statementTimeout = nil
    defer { settings.statementTimeout = timeout }
    let value = try body()
    settings.statementTimeout = timeout
    try run(script: "SET LOCAL statement_timeout = \((timeout ?? .zero).milliseconds)")
    return value
  }
}
