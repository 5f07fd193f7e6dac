import PostgresClient
import StoreTestSupport
import Testing

@Suite("A statement of PostgreSQL", .timeLimit(.minutes(5)))
struct StatementTests {
  @Test("is prepared once on a connection")
  func preparedOnce() async throws {
    try await TestDatabase().connected { connection throws in
      for number in 1...3 {
        let value = try connection.value("SELECT $1 + 1", [.integer(Int64(number))])
        #expect(value == .integer(Int64(number) + 1))
      }
      let count = "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1 + 1'"
      let secondValue = try connection.value(count)
      #expect(secondValue == .integer(1))
    }
  }

  @Test("is prepared anew after DISCARD and after its table was changed")
  func preparedAnew() async throws {
    try await TestDatabase().connected { connection throws in
      try connection.run(script: "CREATE TABLE t(a int8); INSERT INTO t VALUES (1)")
      let rows = try connection.query("SELECT * FROM t").rows
      #expect(rows == [[.integer(1)]])
      try connection.run(script: "DISCARD ALL")
      let secondRows = try connection.query("SELECT * FROM t").rows
      #expect(secondRows == [[.integer(1)]])
      try connection.run(script: "ALTER TABLE t ADD b text")
      let thirdRows = try connection.query("SELECT * FROM t").rows
      #expect(thirdRows == [[.integer(1), .null]])
    }
  }

  @Test("that is outdated inside a transaction fails with that, and the transaction can be run again")
  func outdatedInTransaction() async throws {
    try await TestDatabase().connected { connection throws in
      try connection.run(script: "CREATE TABLE t(a int8)")
      try connection.query("SELECT * FROM t")
      try connection.run(script: "ALTER TABLE t ADD b text")
      let error = #expect(throws: PostgresError.self) {
        try connection.transaction { try connection.query("SELECT * FROM t") }
      }
      #expect(error?.kind == .statementOutdated)
      let transaction = try connection.transaction { try connection.query("SELECT * FROM t").columns }
      #expect(transaction == ["a", "b"])
    }
  }

  @Test("that breaks a rule is told with the rule and without the values")
  func rules() async throws {
    try await TestDatabase().connected { connection throws in
      try connection.run(script: "CREATE TABLE t(a text CONSTRAINT once UNIQUE CONSTRAINT short CHECK (length(a) < 9))")
      let sql = "INSERT INTO t VALUES ($1)"
      try connection.query(sql, [.text("s3cret")])
      let doubled = #expect(throws: PostgresError.self) { try connection.query(sql, [.text("s3cret")]) }
      #expect(doubled?.kind == .uniqueViolation && doubled?.sqlState == "23505" && doubled?.constraint == "once")
      #expect(doubled.map { !"\($0)".contains("s3cret") } ?? false)
      let long = #expect(throws: PostgresError.self) { try connection.query(sql, [.text("s3cret s3cret")]) }
      #expect(long?.kind == .constraintViolation && long?.constraint == "short")
      let wrong = #expect(throws: PostgresError.self) { try connection.query("SELECT nothing") }
      #expect(wrong?.kind == .invalidStatement && wrong?.sqlState == "42703")
    }
  }

  @Test("that runs too long is ended by the server; the connection stays usable")
  func slow() async throws {
    try await TestDatabase().connected { connection throws in
      try connection.run(script: "SET statement_timeout = '100ms'")
      let error = #expect(throws: PostgresError.self) { try connection.query("SELECT pg_sleep(3600)") }
      #expect(error?.kind == .deadlineExceeded && error?.sqlState == "57014")
      try connection.run(script: "SET statement_timeout = '60s'")
      let value = try connection.value("SELECT 1")
      #expect(value == .integer(1))
    }
  }

  @Test("that a frozen server does not answer is given up by the client, and the connection is closed")
  func frozen() async throws {
    let database = try await TestDatabase()
    let proxy = try PostgresProxy(to: database.server)
    let address = try PostgresAddress(proxy.url(database.name))
    try await onThread {
      let connection = try PostgresConnection(address, settings: PostgresSettings(statementTimeout: .milliseconds(100)))
      proxy.set(.isSilent)
      let error = #expect(throws: PostgresError.self) { try connection.query("SELECT 1") }
      #expect(error?.kind == .deadlineExceeded && error?.sqlState == nil)
      #expect(!connection.isOpen)
      #expect(throws: PostgresError.self) { try connection.query("SELECT 1") }
    }
  }
}
