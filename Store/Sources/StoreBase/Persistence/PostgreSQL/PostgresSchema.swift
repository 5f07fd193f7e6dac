import Foundation
import PostgresClient

/// Looks at the tables of a PostgreSQL database that is opened, and brings them up to date. No step but the change
/// itself waits without a deadline: a server may be frozen, or a commit with the writers' lock wait for a standby.
struct PostgresSchema {
  let address: PostgresAddress
  let plan: MigrationPlan
  /// How long a change of the tables waits for other programs.
  var patience = Duration.seconds(30)

  private var name: String { "\(address)" }

  /// Makes or changes the tables as far as the caller allows it.
  func prepare(now: Date, olderSchema: OlderSchema, makesTables: Bool) throws -> SchemaChange? {
    let end = ContinuousClock.now + patience
    while true {
      let state = try state()
      switch state {
      case .current: return nil
      case .empty where !makesTables: throw DatabaseOpenError.empty(path: name)
      case .older(let found) where olderSchema == .refuse:
        throw DatabaseOpenError.olderVersion(path: name, found: found, known: plan.newest)
      default: break
      }
      if case .changed(let change) = try change(now: now) { return change }
      // Another process may have made the same change meanwhile.
      guard ContinuousClock.now < end else { throw DatabaseOpenError.inUse(path: name) }
    }
  }

  /// What came of a try to change the tables.
  private enum Attempt {
    /// They are current; nil when they are new, or another process has changed them.
    case changed(SchemaChange?)
    /// Another program has them.
    case busy
  }

  private func change(now: Date) throws -> Attempt {
    let connection = try PostgresConnection(address)
    defer { connection.close() }
    let shared = PostgresSQLConnection(connection)
    do { try shared.beginSchemaChange() } catch StorageError.busy { return .busy }
    let state = try state(shared)
    guard state != .current else { return .changed(nil) }
    try connection.withoutTimeout { try plan.apply(to: shared, now: now) { try connection.run(script: $0) } }
    try shared.commit()
    if case .older(let found) = state { return .changed(SchemaChange(from: found, to: plan.newest)) }
    return .changed(nil)
  }

  /// In a snapshot, without a lock.
  private func state() throws -> SchemaState {
    let connection = try PostgresConnection(address)
    defer { connection.close() }
    try connection.begin(.snapshot)
    return try state(PostgresSQLConnection(connection))
  }

  private func state(_ shared: PostgresSQLConnection) throws -> SchemaState {
    try BegunMove.requireNone(in: try shared.tableNames(), path: name)
    return try plan.check(shared, path: name)
  }
}
