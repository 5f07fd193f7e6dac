import StoreBase

/// The guards of the machines that share a database.
enum VaultGuardRecords {
  /// How the database knows a guard; in the table by the words of the first version.
  enum State: String {
    /// A new guard, of which no other one has said that this is the newest state of the database.
    case unconfirmed = "asking"
    /// Its file was raised with each of its changes.
    case confirmed = "known"
    /// Since its last change the vault was treated as restored: what its file says of that time is settled.
    case superseded = "covered"
  }

  /// What the database knows of a guard.
  struct Row {
    var state: State
    /// The newest change that was made with it.
    var generation: Int64
  }

  static func row(_ mark: String, in connection: any SQLConnection) throws -> Row? {
    try connection.row("SELECT state, generation FROM vault_guards WHERE mark = $1", [.text(mark)]).map { row in
      guard let state = State(rawValue: try row.text("state")) else {
        throw StorageError.unexpectedValue(column: "state", expected: "a guard's state")
      }
      return Row(state: state, generation: try row.integer("generation"))
    }
  }

  /// Whether there is a guard in a state.
  static func hasGuard(_ state: State, in connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT 1 AS one FROM vault_guards WHERE state = $1 LIMIT 1", [.text(state.rawValue)]) != nil
  }

  /// Whether the vault has had no change since one of a database that one guard had, but those by which guards came: a
  /// first one, which may not have got its file written at its first starts.
  static func areFirst(since number: Int64, in connection: any SQLConnection) throws -> Bool {
    let row = try connection.row(
      """
      SELECT count(*) AS count, count(CASE WHEN state = 'known' THEN 1 END) AS known,
        (SELECT generation FROM vault_generation WHERE id = 1) AS newest
      FROM vault_guards
      """)
    guard let row else { return false }
    return try row.integer("count") == 0 || row.integer("known") == row.integer("newest") - number
  }

  /// Inserts a guard.
  static func insert(_ mark: String, state: State, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "INSERT INTO vault_guards(mark, state, generation) VALUES ($1, $2, 0)", [.text(mark), .text(state.rawValue)])
  }

  /// A change that is made with a guard.
  static func raise(_ mark: String, to generation: Int64, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE vault_guards SET generation = $2 WHERE mark = $1", [.text(mark), .integer(generation)])
  }

  /// Answers all new guards that this is the newest state of the database.
  static func confirmAll(in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE vault_guards SET state = $1 WHERE state = $2",
      [.text(State.confirmed.rawValue), .text(State.unconfirmed.rawValue)])
  }

  /// The vault was treated as restored: settles what every guard's file says of the time before.
  static func supersedeAll(in transaction: StoreTransaction) throws {
    try transaction.execute("UPDATE vault_guards SET state = $1", [.text(State.superseded.rawValue)])
  }
}
