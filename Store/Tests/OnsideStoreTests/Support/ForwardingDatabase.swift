@testable import OnsideStore
@testable import StoreBase

/// A database of a test that stands before another one, and passes on what it does not change.
protocol ForwardingDatabase: Database {
  var base: any Database { get }
}

extension ForwardingDatabase {
  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    try await base.read(body)
  }

  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    try await base.write(beside: commitHook, body)
  }

  var schemaChange: SchemaChange? { base.schemaChange }
  var writeFailure: StorageError? { base.writeFailure }
  var writtenCommits: Int { base.writtenCommits }
  var foundDamage: String? { base.foundDamage }
  var waitingWrites: Int { base.waitingWrites }
  var connections: DatabaseConnections? { base.connections }
  var isOnServer: Bool { base.isOnServer }
  func sizes() async throws -> DatabaseSizes { try await base.sizes() }
  func observeCommits(_ observer: @escaping @Sendable (CommitReport) -> Void) { base.observeCommits(observer) }
  func clockDifference(of clock: any StoreClock) async throws -> ClockDifference? {
    try await base.clockDifference(of: clock)
  }
  var wakeRelay: (any WakeRelay)? { base.wakeRelay }
  func damage() async throws -> String? { try await base.damage() }
  func clearDeleted() async throws -> Bool { try await base.clearDeleted() }
  func close() async { await base.close() }
}
