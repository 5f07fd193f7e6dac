public import StoreAccounts
import StoreBase
import StoreSales

extension SandboxClockSetting {
  /// Sets the clock back to the machine's time. Only while there are no orders: they would lie in the future.
  public func reset() async throws {
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      guard try OrderRecords.isEmpty(in: transaction) else { throw SandboxClockError.ordersExist }
      try StoreSettings(connection: transaction).set(Self.name, to: "0")
      // Tokens that had expired count again, and so must the ends of their sessions.
      for data in [CachedData.sandboxClock, .revokedSessions] { try RevisionRecords.raise(data, in: transaction) }
    }
    try await reload()
  }
}
