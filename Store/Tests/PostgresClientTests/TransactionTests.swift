import Dispatch
import PostgresClient
import StoreTestSupport
import Testing

@Suite("A transaction of PostgreSQL", .timeLimit(.minutes(5)))
struct TransactionTests {
  private struct Refused: Error {}

  @Test("is committed when its closure returns, and rolled back when it throws")
  func commitAndRollback() async throws {
    try await TestDatabase().connected { connection throws in
      try connection.run(script: "CREATE TABLE t(a int8)")
      try connection.transaction { _ = try connection.query("INSERT INTO t VALUES (1)") }
      #expect(throws: Refused.self) {
        try connection.transaction {
          try connection.query("INSERT INTO t VALUES (2)")
          throw Refused()
        }
      }
      #expect(!connection.isInTransaction)
      let rows = try connection.query("SELECT a FROM t").rows
      #expect(rows == [[.integer(1)]])
    }
  }

  @Test("goes on after a savepoint whose closure has failed, without its changes")
  func savepoint() async throws {
    try await TestDatabase().connected { connection throws in
      try connection.run(script: "CREATE TABLE t(a int8 PRIMARY KEY)")
      try connection.transaction {
        try connection.savepoint { _ = try connection.query("INSERT INTO t VALUES (1)") }
        let error = #expect(throws: PostgresError.self) {
          try connection.savepoint {
            try connection.query("INSERT INTO t VALUES (2)")
            try connection.query("INSERT INTO t VALUES (1)")
          }
        }
        #expect(error?.kind == .uniqueViolation)
      }
      let rows = try connection.query("SELECT a FROM t").rows
      #expect(rows == [[.integer(1)]])
    }
  }

  @Test("in which a failed statement was ignored is not taken for committed")
  func ignoredFailure() async throws {
    try await TestDatabase().connected { connection throws in
      let error = #expect(throws: PostgresError.self) {
        try connection.transaction { _ = try? connection.query("SELECT 1/0") }
      }
      #expect(error?.kind == .rolledBack)
    }
  }

  @Test("that a concurrent one contradicts fails as such")
  func serialization() async throws {
    let database = try await TestDatabase()
    let address = try database.address
    try await database.connected { first in
      let second = try PostgresConnection(address)
      try first.run(script: "CREATE TABLE t(a int8); INSERT INTO t VALUES (0)")
      for connection in [first, second] {
        try connection.begin(.serializable)
        try connection.query("SELECT sum(a) FROM t")
      }
      try first.query("INSERT INTO t VALUES (1)")
      try first.commit()
      let error = #expect(throws: PostgresError.self) {
        try second.query("INSERT INTO t VALUES (2)")
        try second.commit()
      }
      #expect(error?.kind == .serialization && error?.sqlState == "40001")
    }
  }

  @Test("that waits for another, which waits for it, fails with that in one of both")
  func deadlock() async throws {
    let database = try await TestDatabase()
    try await database.connected { connection throws in
      try connection.run(script: "CREATE TABLE t(a int8 PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
    }
    let address = try database.address
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    let otherHasRow = DispatchSemaphore(value: 0)
    let first = Task {
      try await onThread {
        let connection = try PostgresConnection(address)
        try connection.begin()
        try connection.query("UPDATE t SET a = a WHERE a = 1")
        isReady.finish()
        guard otherHasRow.wait(timeout: .now() + 60) == .success else { throw Refused() }
        try connection.query("UPDATE t SET a = a WHERE a = 2")
        try connection.commit()
      }
    }
    for await _ in ready {}
    let second = await Task {
      try await onThread {
        let connection = try PostgresConnection(address)
        try connection.begin()
        try connection.query("UPDATE t SET a = a WHERE a = 2")
        otherHasRow.signal()
        try connection.query("UPDATE t SET a = a WHERE a = 1")
        try connection.commit()
      }
    }.result
    let errors = [await first.result, second].compactMap { result in
      if case .failure(let error as PostgresError) = result { error } else { nil }
    }
    #expect(errors.map(\.kind) == [.deadlock])
    #expect(errors.map(\.sqlState) == ["40P01"])
  }

  @Test("whose connection the server ended before COMMIT was sent is not committed, and said to be lost")
  func endedBeforeCommit() async throws {
    let database = try await TestDatabase()
    let address = try database.address
    try await database.connected { connection throws in
      try connection.run(script: "CREATE TABLE t(a int8)")
      let process = try connection.value("SELECT pg_backend_pid()")
      guard case .integer(let process) = process else { throw Refused() }
      try connection.begin()
      try connection.query("INSERT INTO t VALUES (1)")
      let other = try PostgresConnection(address)
      let value = try other.value("SELECT pg_terminate_backend($1::int4, 60000)", [.integer(process)])
      #expect(value == .bool(true))
      let error = #expect(throws: PostgresError.self) { try connection.commit() }
      #expect(error?.kind == .connectionLost)
      let secondValue = try other.value("SELECT count(*) FROM t")
      #expect(secondValue == .integer(0))
    }
  }

  @Test("whose connection the server ended fails at the next statement")
  func endedBeforeStatement() async throws {
    let database = try await TestDatabase()
    let address = try database.address
    try await database.connected { connection throws in
      guard case .integer(let process) = try connection.value("SELECT pg_backend_pid()") else { throw Refused() }
      try connection.begin()
      try PostgresConnection(address).query("SELECT pg_terminate_backend($1::int4, 60000)", [.integer(process)])
      let error = #expect(throws: PostgresError.self) { try connection.query("SELECT 1") }
      #expect(error?.kind == .connectionLost)
      #expect(!connection.isOpen)
    }
  }

  @Test("whose answer to COMMIT is lost has an unknown outcome", arguments: [false, true])
  func answerLost(isSilent: Bool) async throws {
    let database = try await TestDatabase()
    let proxy = try PostgresProxy(to: database.server)
    let address = try PostgresAddress(proxy.url(database.name))
    try await database.connected { other in
      try other.run(script: "CREATE TABLE t(a int8)")
      let connection = try PostgresConnection(address, settings: PostgresSettings(statementTimeout: .seconds(4)))
      try connection.begin()
      try connection.query("INSERT INTO t VALUES (1)")
      proxy.set(isSilent ? .isSilent : .losesAnswerToCommit)
      let error = #expect(throws: PostgresError.self) { try connection.commit() }
      #expect(error?.kind == .outcomeUnknown)
      #expect(!connection.isOpen)
      // Committed, although the client was not told; with the silent proxy COMMIT did not even arrive.
      let value = try other.value("SELECT count(*) FROM t")
      #expect(value == .integer(isSilent ? 0 : 1))
    }
  }

  @Test("whose COMMIT brings a warning, as one does that stopped waiting for its standby, has an unknown outcome")
  func warning() async throws {
    try await TestDatabase().connected { connection throws in
      try connection.run(
        script: """
          CREATE TABLE t(a int8);
          CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'canceling'; RETURN NULL; END $$;
          CREATE CONSTRAINT TRIGGER late AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn();
          """)
      let error = #expect(throws: PostgresError.self) {
        try connection.transaction { _ = try connection.query("INSERT INTO t VALUES (1)") }
      }
      #expect(error?.kind == .outcomeUnknown && error?.sqlState == "01000")
      #expect(!connection.isOpen)
    }
  }
}
