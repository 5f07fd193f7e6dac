import Foundation
import Synchronization

/// The audit row of a running act. `write(at:)` of a database finds it by a task-local value and inserts it in the
/// act's first transaction that changes data.
final class PendingAuditRow: Sendable {
  private enum State { case missing, claimed, committed }

  @TaskLocal static var current: PendingAuditRow?

  private let act: AuditedAct
  private let id: String
  private let addition: @Sendable (StoreTransaction) throws -> Void
  private let state = Mutex(State.missing)

  init(of act: AuditedAct, id: String, adding addition: @escaping @Sendable (StoreTransaction) throws -> Void) {
    self.act = act
    self.id = id
    self.addition = addition
  }

  /// Reserves the current act's row for one transaction. Returns nil outside of acts, and when the row is committed or
  /// reserved for another transaction.
  static func claim() -> PendingAuditRow? {
    guard let row = current else { return nil }
    let isClaimed = row.state.withLock { state in
      guard state == .missing else { return false }
      state = .claimed
      return true
    }
    return isClaimed ? row : nil
  }

  /// Ends the reservation: the next transaction of the act inserts the row, unless it is committed.
  func release() {
    state.withLock { if $0 == .claimed { $0 = .missing } }
  }

  /// Inserts the row in a transaction of the act, with the act's addition.
  func insert(in transaction: StoreTransaction) throws {
    try addition(transaction)
    try AuditRecords.insertIfAbsent(entry(.done, at: transaction.storeNow), in: transaction)
    transaction.afterCommit { self.state.withLock { $0 = .committed } }
  }

  /// Inserts the row of an act that has succeeded without a change.
  func recordSuccess(in database: any Database, at now: Date) async throws {
    guard state.withLock({ $0 }) != .committed else { return }
    let entry = entry(.done, at: now)
    try await database.write(at: now) { try AuditRecords.insertIfAbsent(entry, in: $0) }
  }

  /// Inserts the row of a failed act, or adds the error to the row that was committed with the act's first change.
  func recordFailure(_ error: any Error, in database: any Database, at now: Date) async throws {
    let (id, text) = (id, AuditRecords.storable("\(error)", limit: AuditRecords.longestError))
    let failed = entry(.failed, at: now, error: text)
    try await database.write(at: now) { transaction in
      if try !AuditRecords.setIncomplete(id, error: text, in: transaction) {
        try AuditRecords.insertIfAbsent(failed, in: transaction)
      }
    }
  }

  private func entry(_ outcome: AuditEntry.Outcome, at date: Date, error: String? = nil) -> AuditEntry {
    AuditEntry(id: id, date: date, act: act, outcome: outcome, error: error)
  }
}
