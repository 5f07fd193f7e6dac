import PostgresClient
import Testing

@Suite("A value of PostgreSQL", .timeLimit(.minutes(5)))
struct ValueTests {
  private struct Case: Sendable {
    let parameter: PostgresParameter
    let type: String
    let value: PostgresValue
  }

  private static let cases = [
    Case(parameter: .integer(.min), type: "bigint", value: .integer(.min)),
    Case(parameter: .integer(.max), type: "bigint", value: .integer(.max)),
    Case(parameter: .double(0.1), type: "double precision", value: .double(0.1)),
    Case(parameter: .double(-.infinity), type: "double precision", value: .double(-.infinity)),
    Case(parameter: .bool(true), type: "boolean", value: .bool(true)),
    Case(parameter: .bool(false), type: "boolean", value: .bool(false)),
    Case(parameter: .text(""), type: "text", value: .text("")),
    Case(parameter: .text("Ünïcödé 🥅 '\\ $1"), type: "text", value: .text("Ünïcödé 🥅 '\\ $1")),
    Case(parameter: .bytes([]), type: "bytea", value: .bytes([])),
    Case(parameter: .bytes(Array(0...255)), type: "bytea", value: .bytes(Array(0...255))),
    Case(parameter: .null(.text), type: "text", value: .null),
    Case(parameter: .null(.integer), type: "bigint", value: .null),
  ]

  @Test("comes back as it was sent, with its type", arguments: cases)
  private func roundTrip(of example: Case) async throws {
    let row = try await TestDatabase().connected {
      try $0.query("SELECT $1 AS value, pg_typeof($1)::text AS type", [example.parameter])
    }
    #expect(row.columns == ["value", "type"])
    #expect(row.rows == [[example.value, .text(example.type)]])
  }

  @Test("of another type is read as a number, in decimal, or as text")
  func otherTypes() async throws {
    let row = try await TestDatabase().connected {
      try $0.query("SELECT 7::int2, 8::int4, 1.5::float4, sum(x), '2026-11-24'::date FROM (VALUES (5::int8)) t(x)")
    }
    #expect(row.rows == [[.integer(7), .integer(8), .double(1.5), .numeric("5"), .text("2026-11-24")]])
  }

  @Test("that is null, without a type, gets the type of its place; the statement then takes values of that type")
  func inferredNull() async throws {
    let rows = try await TestDatabase().connected { connection throws in
      try connection.query("CREATE TABLE t(id int8, name text)")
      let sql = "INSERT INTO t VALUES ($1, $2)"
      let affected = try connection.query(sql, [.null(nil), .text("a")]).affected
      #expect(affected == 1)
      try connection.query(sql, [.integer(2), .null(nil)])
      let value = try connection.value("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'")
      #expect(value == .integer(1))
      return try connection.query("SELECT * FROM t").rows
    }
    #expect(rows == [[.null, .text("a")], [.integer(2), .null]])
  }

  @Test("that contains U+0000 is refused before anything is sent, and so is such a statement")
  func refusesNull() async throws {
    try await TestDatabase().connected { connection throws in
      try connection.begin()
      let error = #expect(throws: PostgresError.self) { try connection.query("SELECT $1", [.text("a\u{0}b")]) }
      #expect(error?.kind == .invalidValue)
      #expect(error?.message == "expected text without U+0000, but parameter $1 contains it")
      #expect(throws: PostgresError.self) { try connection.query("SELECT '\u{0}'") }
      let value = try connection.value("SELECT 1")
      #expect(value == .integer(1))
      try connection.commit()
    }
  }
}
