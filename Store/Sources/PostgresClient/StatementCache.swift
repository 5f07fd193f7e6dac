/// The statements that one session has prepared.
struct StatementCache {
  /// A prepared statement.
  struct Statement {
    let name: String
    let types: [PostgresType]

    /// Whether the parameters are of its types. A null without a type fits each of them.
    fileprivate func fits(_ parameters: [PostgresParameter]) -> Bool {
      types.count == parameters.count
        && zip(types, parameters).allSatisfy { type, parameter in
          parameter.type == nil || parameter.type == type
        }
    }
  }

  /// The most statements; a store has a few hundred.
  private static let limit = 1000

  private var statements: [String: [Statement]] = [:]
  private var count = 0
  private var number = 0

  /// Whether it has to be emptied before a statement is added.
  var isFull: Bool { count >= Self.limit }

  func statement(_ sql: String, for parameters: [PostgresParameter]) -> Statement? {
    statements[sql]?.first { $0.fits(parameters) }
  }

  /// A name that no statement of the session has.
  mutating func nextName() -> String {
    number += 1
    return "s\(number)"
  }

  mutating func add(_ statement: Statement, for sql: String) {
    statements[sql, default: []].append(statement)
    count += 1
  }

  mutating func removeAll() {
    statements = [:]
    count = 0
  }
}
