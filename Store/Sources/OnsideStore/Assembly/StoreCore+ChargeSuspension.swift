import Logging
import StoreBase
import StoreSales

extension StoreCore {
  /// Whether charges are suspended, because the database was restored, moved or copied.
  public func areChargesSuspended() async throws -> Bool {
    try await dependencies.database.read { try ChargeSuspension.isActive(in: $0) }
  }

  /// Suspends charges in all processes of the database.
  public func suspendCharges() async throws {
    try await dependencies.database.write(at: dependencies.clock.now()) { try ChargeSuspension.begin(in: $0) }
  }

  /// Ends a suspension of charges in all processes of the database.
  ///
  /// - Returns: the number of deliveries that waited, by kind; nil if charges were not suspended.
  public func resumeCharges() async throws -> [String: Int]? {
    let now = dependencies.clock.now()
    return try await dependencies.database.write(at: now) { transaction in
      guard try ChargeSuspension.isActive(in: transaction) else { return nil }
      try ChargeSuspension.end(at: now, in: transaction)
      return try OutboxRecords().counts(in: transaction).filter { !ChargeSuspension.exemptKinds.contains($0.key) }
    }
  }

  /// Records the database at the first start, and logs a suspension.
  func beginCharges() async throws {
    let now = dependencies.clock.now()
    let isSuspended = try await dependencies.database.write { connection in
      try ChargeSuspension.record(at: now, in: connection)
      return try ChargeSuspension.isActive(in: connection)
    }
    guard isSuspended else { return }
    dependencies.logger.warning(
      "charges are suspended: this database was restored, moved or copied; see onside doctor")
  }
}
