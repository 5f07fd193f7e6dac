public import Foundation
package import StoreBase

/// Pays apps what the store owes them. Each step is one write, which also books it: it happens once, however often it
/// is asked for.
public struct PayoutService: Sendable {
  package let dependencies: BaseDependencies
  package let ledger: Ledger

  package init(dependencies: BaseDependencies, ledger: Ledger) {
    self.dependencies = dependencies
    self.ledger = ledger
  }

  /// Makes a payout for each app and currency with a balance above zero.
  ///
  /// - Parameters:
  ///   - app: only of this app; nil for all.
  ///   - time: only of orders that were sold before; their later refunds count.
  /// - Returns: the payouts that were made. A second call makes none, because the balance is gone.
  public func make(app: String? = nil, soldBefore time: Date) async throws -> [Payout] {
    let now = dependencies.clock.now()
    return try await dependencies.database.write(at: now) { [dependencies, ledger] transaction in
      let balances = try PayoutRecords.balances(soldBefore: time, in: transaction)
      return try balances.filter { app == nil || $0.app == app }.map { balance in
        let payout = Payout(
          id: dependencies.random.uuid7(at: now).lowercase, app: balance.app, amount: balance.amount, state: .made,
          madeAt: now, sentAt: nil, settledAt: nil, reference: nil)
        try PayoutRecords.insert(payout, in: transaction)
        try ledger.payout(payout, in: transaction)
        return payout
      }
    }
  }

  /// Marks a payout as sent to the bank. A repeated call with the same reference changes nothing; another reference is
  /// refused. Throws ``PayoutError``.
  @discardableResult
  public func markSent(_ id: String, reference: String? = nil) async throws -> Payout {
    try await change(id) { payout, transaction in
      guard payout.state != .failed else { throw PayoutError.failed(id) }
      guard payout.state == .made else {
        guard payout.reference == reference else { throw PayoutError.sentAlready(id, reference: payout.reference) }
        return
      }
      try PayoutRecords.setSent(id, reference: reference, in: transaction)
    }
  }

  /// Marks a payout as settled: the money has left the bank account. A repeated call changes nothing. Throws
  /// ``PayoutError``.
  @discardableResult
  public func markSettled(_ id: String) async throws -> Payout {
    try await change(id) { [ledger] payout, transaction in
      switch payout.state {
      case .made: throw PayoutError.notSent(id)
      case .settled: return
      case .failed: throw PayoutError.failed(id)
      case .sent:
        try PayoutRecords.setSettled(id, in: transaction)
        try ledger.payoutSettled(payout, in: transaction)
      }
    }
  }

  /// Marks a payout as failed: the money did not reach the app, or the bank has returned it. The app's balance has it
  /// again, and the next payout pays it. A repeated call changes nothing. Throws ``PayoutError``.
  @discardableResult
  public func markFailed(_ id: String) async throws -> Payout {
    try await change(id) { [ledger] payout, transaction in
      guard payout.state != .failed else { return }
      try PayoutRecords.setFailed(id, in: transaction)
      try ledger.payoutFailed(payout, in: transaction)
    }
  }

  /// The newest payouts, of one app or of all.
  public func newest(_ limit: Int, app: String? = nil) async throws -> [Payout] {
    try await dependencies.database.read { try PayoutRecords.newest(limit, app: app, in: $0) }
  }

  private func change(
    _ id: String, _ body: @escaping @Sendable (Payout, StoreTransaction) throws -> Void
  ) async throws -> Payout {
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      guard let payout = try PayoutRecords.payout(id, in: transaction) else { throw PayoutError.unknown(id) }
      try body(payout, transaction)
      guard let changed = try PayoutRecords.payout(id, in: transaction) else { throw PayoutError.unknown(id) }
      return changed
    }
  }
}
