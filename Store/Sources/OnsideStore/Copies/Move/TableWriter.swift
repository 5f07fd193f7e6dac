import PostgresClient
import StoreBase

/// Writes the rows of one table in batches, each of which is one statement.
struct TableWriter {
  /// PostgreSQL takes 65,535 parameters in one statement.
  private static let mostParameters = 65_535
  private static let mostRows = 200
  /// About how many bytes of texts a statement may have: 4 MiB.
  private static let mostBytes = 4 << 20

  private let table: MoveTable
  private let connection: PostgresConnection
  private let rowLimit: Int
  private var parameters: [PostgresParameter] = []
  private var bytes = 0

  init(_ table: MoveTable, _ connection: PostgresConnection) {
    self.table = table
    self.connection = connection
    rowLimit = min(Self.mostRows, Self.mostParameters / max(table.columns.count, 1))
  }

  mutating func write(_ values: [SQLValue]) throws {
    for (value, column) in zip(values, table.columns) {
      parameters.append(try table.parameter(value, column: column))
      bytes += value.size
    }
    if parameters.count >= rowLimit * table.columns.count || bytes >= Self.mostBytes { try flush() }
  }

  mutating func flush() throws {
    guard !parameters.isEmpty else { return }
    let width = table.columns.count
    let rows = stride(from: 1, through: parameters.count, by: width).map { first in
      "(" + (first..<first + width).map { "$\($0)" }.joined(separator: ", ") + ")"
    }
    let sql = "INSERT INTO \"\(table.name)\" (\(table.columnList)) VALUES \(rows.joined(separator: ", "))"
    try connection.query(sql, parameters)
    parameters.removeAll(keepingCapacity: true)
    bytes = 0
  }
}

extension SQLValue {
  /// About how many bytes it takes.
  fileprivate var size: Int {
    switch self {
    case .null, .integer: 8
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }
}
