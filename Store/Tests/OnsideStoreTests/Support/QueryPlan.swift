@testable import OnsideStore
@testable import StoreBase

/// How the engine finds the rows of a statement.
struct QueryPlan: CustomStringConvertible {
  private let sql: String
  /// A line for each step.
  private let steps: [String]

  /// Asks the engine.
  init(of sql: String, _ arguments: [SQLValue], in connection: any SQLConnection) throws {
    self.sql = sql
    do {
      steps =
        try TestDatabase.isPostgres
        ? Self.postgres(sql, arguments, in: connection) : Self.sqlite(sql, arguments, in: connection)
    } catch {
      throw Unplanned(sql: sql, reason: error)
    }
  }

  private struct Unplanned: Error {
    let sql: String
    let reason: any Error
  }

  var description: String { ([sql] + steps).joined(separator: "\n") }

  private static func sqlite(
    _ sql: String, _ arguments: [SQLValue], in connection: any SQLConnection
  ) throws -> [String] {
    try connection.rows("EXPLAIN QUERY PLAN \(sql)", arguments).map { try $0.text("detail") }
  }

  /// The plan for all values, as of a large table: PostgreSQL reads a small one from end to end, unless it is told not
  /// to.
  private static func postgres(
    _ sql: String, _ arguments: [SQLValue], in connection: any SQLConnection
  ) throws -> [String] {
    for setting in ["enable_seqscan = off", "plan_cache_mode = force_generic_plan"] {
      try connection.execute("SET LOCAL \(setting)")
    }
    func list(_ items: [String]) -> String { items.isEmpty ? "" : "(\(items.joined(separator: ", ")))" }
    try connection.execute("PREPARE planned\(list(arguments.map(\.typeName))) AS \(sql)")
    let rows = try connection.rows("EXPLAIN (COSTS off) EXECUTE planned\(list(arguments.map { _ in "NULL" }))")
    try connection.execute("DEALLOCATE planned")
    return try rows.map { try $0.text("QUERY PLAN") }
  }

  /// The tables of which every row is read, or with SQLite every entry of an index.
  var scannedTables: [String] {
    if TestDatabase.isPostgres { return tablesReadWithoutIndex }
    return steps.compactMap { step in
      step == "SCAN CONSTANT ROW" ? nil : step.prefixMatch(of: /SCAN (\w+)/).map { String($0.1) }
    }
  }

  /// The tables that are read without an index.
  var tablesReadWithoutIndex: [String] {
    steps.compactMap { step in
      if TestDatabase.isPostgres { return step.firstMatch(of: /Seq Scan on (\w+)/).map { String($0.1) } }
      guard !step.contains(" INDEX ") else { return nil }
      return step.prefixMatch(of: /(?:SCAN|SEARCH) (\w+)/).map { String($0.1) }
    }
  }

  /// The indexes that are used.
  var indexes: Set<String> {
    let index = TestDatabase.isPostgres ? /Index (?:Only )?Scan (?:Backward )?(?:using|on) (\w+)/ : /INDEX (\w+)/
    return Set(steps.compactMap { $0.firstMatch(of: index).map { String($0.1) } })
  }

  /// Whether SQLite reads every order of an account, or all that it has paid.
  var readsWholeAccount: Bool {
    steps.contains { step in
      if step.hasSuffix("INDEX orders_purchased (account_id=? AND app_id=? AND paid_at>?)") {
        // "paid_at IS NOT NULL" looks like a page's beginning: a page has an end, too.
        return !sql.contains("LIMIT")
      }
      return ["orders_by_account", "orders_purchased"].contains {
        step.hasSuffix("INDEX \($0) (account_id=? AND app_id=?)")
      }
    }
  }
}

extension SQLValue {
  /// The type that the store's connections give such a parameter.
  fileprivate var typeName: String {
    switch self {
    case .null: "unknown"
    case .integer: "bigint"
    case .text: "text"
    case .blob: "bytea"
    }
  }
}

extension ObservedDatabase {
  /// The plans of the statements since the last call.
  func takePlans() async throws -> [QueryPlan] {
    let statements = takeStatements()
    return try await base.read { connection in
      try statements.map { try QueryPlan(of: $0.sql, $0.arguments, in: connection) }
    }
  }

  /// The plan of one statement.
  func plan(_ sql: String, _ arguments: [SQLValue] = []) async throws -> QueryPlan {
    try await base.read { try QueryPlan(of: sql, arguments, in: $0) }
  }
}
