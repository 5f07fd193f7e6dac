public import Foundation

/// A running transaction: its connection, and the time that all of its writes carry. Queries and statements are run on
/// it directly:
///
/// ```swift
/// try await database.write(at: clock.now()) { transaction in
///   try transaction.execute("UPDATE orders SET finished_at = $2 WHERE id = $1", [id, .date(transaction.now)])
/// }
/// ```
///
/// A function that writes takes a transaction (`in transaction`). A function that only reads, and needs no time, takes
/// any connection (`in connection`). So do the few writers whose callers have no clock: settings, the vault's
/// generation, the states of OpenID requests, and the deletion of expired rows.
public struct StoreTransaction: SQLConnection {
  /// The time that its writes carry: the store's when it was begun, or that of an account that is ahead of the store.
  public var now: Date { storeNow.addingTimeInterval(Double(aheadMilliseconds) / 1000) }
  /// The store's time when the transaction was begun.
  public let storeNow: Date
  /// How far ``now`` is ahead of ``storeNow``, in milliseconds.
  let aheadMilliseconds: Int64
  private let connection: any SQLConnection
  private let actions: CommitActions?

  /// A transaction on a connection that is inside of one. Actions after its commit are dropped.
  public init(_ connection: any SQLConnection, at now: Date) { self.init(connection, at: now, actions: nil) }

  fileprivate init(
    _ connection: any SQLConnection, at now: Date, ahead milliseconds: Int64 = 0, actions: CommitActions?
  ) {
    self.connection = connection
    storeNow = now
    aheadMilliseconds = milliseconds
    self.actions = actions
  }

  /// The same transaction at a time that is ahead of the store's.
  package func ahead(byMilliseconds milliseconds: Int64) -> StoreTransaction {
    StoreTransaction(connection, at: storeNow, ahead: milliseconds, actions: actions)
  }

  /// A moment of the transaction's time, in the store's: for what the store is to do then.
  package func storeTime(of moment: Date) -> Date { moment.addingTimeInterval(-Double(aheadMilliseconds) / 1000) }

  /// Runs an action once after the commit, before the writer gets its result; in the order of the calls. It does not
  /// run when the write is rolled back, in a read, and when the commit hook's part after the commit fails. Where the
  /// engine runs the write again, the actions of its last run count. Meant for what only counts, such as metrics: a
  /// process that ends right after the commit does not run it.
  package func afterCommit(_ action: @escaping @Sendable () -> Void) { actions?.afterCommit.append(action) }

  /// Runs an action once at the end of the transaction's body, before the commit. An error of the action rolls the
  /// write back.
  ///
  /// The first action of each key counts. It gets a transaction with the time of the one that registered it. Actions
  /// may register further ones, which run after all that are registered already. The key of an action is free from its
  /// beginning on; an action registers its own key only after a change, or the actions would not end. In a transaction
  /// without collected actions, ``init(_:at:)``, the action runs at once.
  package func beforeCommit(
    _ key: String, _ action: @escaping @Sendable (StoreTransaction) throws -> Void
  ) throws {
    guard let actions else { return try action(self) }
    guard actions.keys.insert(key).inserted else { return }
    actions.beforeCommit.append((key, aheadMilliseconds, action))
  }

  /// A Boolean value that indicates whether an action before the commit has a key and has not begun. False in a
  /// transaction without collected actions.
  package func hasActionBeforeCommit(_ key: String) -> Bool { actions?.keys.contains(key) ?? false }

  /// Runs the actions before the commit, also those that they register.
  fileprivate func runActionsBeforeCommit() throws {
    guard let actions else { return }
    var next = 0
    while next < actions.beforeCommit.count {
      let (key, ahead, action) = actions.beforeCommit[next]
      actions.keys.remove(key)
      try action(self.ahead(byMilliseconds: ahead))
      next += 1
    }
  }

  /// Runs a statement and returns how many rows it changed.
  @discardableResult
  public func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    let count = try connection.execute(sql, arguments)
    if count > 0 { actions?.hasChanges = true }
    return count
  }

  /// Runs a query and returns its rows.
  public func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    let rows = try connection.rows(sql, arguments)
    if let actions, actions.isAudited, !rows.isEmpty, sql.contains("RETURNING") { actions.hasChanges = true }
    return rows
  }

  /// The names of all tables.
  public func tableNames() throws(StorageError) -> [String] { try connection.tableNames() }

  /// The identity of the database.
  public func databaseIdentity() throws(StorageError) -> String? { try connection.databaseIdentity() }
}

/// The actions of a transaction before and after its commit.
private final class CommitActions {
  /// Each with its key and the milliseconds by which its transaction is ahead of the store's time.
  var beforeCommit: [(key: String, ahead: Int64, action: @Sendable (StoreTransaction) throws -> Void)] = []
  /// The keys of the actions before the commit that have not begun.
  var keys: Set<String> = []
  var afterCommit: [@Sendable () -> Void] = []
  /// True if the transaction inserts the audit's row when it has changes.
  let isAudited: Bool
  /// True if a statement has changed a row. Queries with `RETURNING` count in audited transactions only.
  var hasChanges = false

  init(isAudited: Bool) { self.isAudited = isAudited }
}

extension Database {
  /// Reads a consistent state, as of a time.
  public func read<T: Sendable>(
    at now: Date, _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    try await read { try body(StoreTransaction($0, at: now)) }
  }

  /// Runs a write transaction at a time, with its actions before and after the commit. The first one of an
  /// ``AuditedAct`` that changes data also inserts the row of the act.
  @discardableResult
  public func write<T: Sendable>(
    at now: Date, beside commitHook: (any CommitHook)? = nil,
    _ body: @escaping @Sendable (StoreTransaction) throws -> T
  ) async throws -> T {
    // The writer is not a task of the act, and does not see its task-local values.
    let row = PendingAuditRow.claim()
    defer { row?.release() }
    let (result, actions) = try await write(beside: commitHook) { connection in
      let actions = CommitActions(isAudited: row != nil)
      let transaction = StoreTransaction(connection, at: now, actions: actions)
      let result = try body(transaction)
      try transaction.runActionsBeforeCommit()
      if let row, actions.hasChanges { try row.insert(in: transaction) }
      return (result, actions.afterCommit)
    }
    for action in actions { action() }
    return result
  }
}
