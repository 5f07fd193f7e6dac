import CPostgres

/// What came back for a statement. The memory of libpq is released when nothing uses it any more.
final class Answer {
  /// An error of the server.
  struct Failure {
    let sqlState: String?
    let message: String
    let constraint: String?
    let routine: String?
    /// Whether the server ends the session with it.
    let isFatal: Bool
  }

  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// The error, if it is one.
  var failure: Failure? {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return nil
    default:
      let severity = ResultField.severity.value(of: result)
      return Failure(
        sqlState: ResultField.sqlState.value(of: result),
        message: ResultField.message.value(of: result) ?? String(cString: PQresultErrorMessage(result)).firstLine,
        constraint: ResultField.constraint.value(of: result), routine: ResultField.routine.value(of: result),
        isFatal: severity == "FATAL" || severity == "PANIC")
    }
  }

  /// What the server calls the statement that it has run, without its counts.
  var command: Substring { String(cString: PQcmdStatus(result)).prefix { $0 != " " } }

  /// The types of a prepared statement's parameters.
  var parameterTypes: [PostgresType] { (0..<PQnparams(result)).map { PostgresType(oid: PQparamtype(result, $0)) } }

  /// The rows.
  func read() throws(PostgresError) -> PostgresResult {
    let columns = (0..<PQnfields(result)).map {
      (name: String(cString: PQfname(result, $0)), type: PQftype(result, $0))
    }
    let count = PQntuples(result)
    var rows: [[PostgresValue]] = []
    rows.reserveCapacity(Int(count))
    for row in 0..<count {
      var values: [PostgresValue] = []
      values.reserveCapacity(columns.count)
      for (index, column) in zip(Int32(0)..., columns) {
        guard let value = value(row, index, type: column.type) else {
          throw PostgresError(
            .other, message: "expected a value of type \(column.type) in column \(column.name), but it cannot be read")
        }
        values.append(value)
      }
      rows.append(values)
    }
    return PostgresResult(
      columns: columns.map(\.name), rows: rows, affected: Int(String(cString: PQcmdTuples(result))) ?? Int(count),
      command: String(command))
  }

  /// A value in PostgreSQL's text format; nil when it is not of that format.
  private func value(_ row: Int32, _ column: Int32, type: Oid) -> PostgresValue? {
    guard PQgetisnull(result, row, column) == 0 else { return .null }
    guard let start = PQgetvalue(result, row, column) else { return nil }
    let length = Int(PQgetlength(result, row, column))
    let text = { String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self) }
    switch type {
    case 16: return .bool(length == 1 && start.pointee == CChar(UInt8(ascii: "t")))
    case 17: return Self.bytes(start)
    case 20, 21, 23, 26: return Int64(text()).map(PostgresValue.integer)
    case 700, 701: return Double(text()).map(PostgresValue.double)
    case 1700: return .numeric(text())
    default: return .text(text())
    }
  }

  private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> PostgresValue? {
    var count = 0
    return text.withMemoryRebound(to: UInt8.self, capacity: 1) { text in
      guard let bytes = PQunescapeBytea(text, &count) else { return nil }
      defer { PQfreemem(bytes) }
      return .bytes(Array(UnsafeBufferPointer(start: bytes, count: count)))
    }
  }
}
