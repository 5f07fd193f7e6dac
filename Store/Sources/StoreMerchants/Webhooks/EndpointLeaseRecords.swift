import Foundation
import StoreBase

/// The right of one process to serve an endpoint. Its times are the machine's, as those of ``OutboxLease``.
struct EndpointLease: Sendable, Hashable {
  /// Seconds after which another process serves the endpoint of a dead one.
  static let length: TimeInterval = 15
  /// The age in seconds at which a lease is renewed.
  static let renewalAge: TimeInterval = 5

  let endpoint: String
  /// The name of this claim; one process may claim an endpoint twice.
  let token: String
  /// The epoch of the claim. A restore ends the lease, because the plan in memory knows lost events.
  let epoch: String
}

/// The leases of endpoints, and the endpoints that need one.
enum EndpointLeaseRecords {
  /// An endpoint without a lease, and with newer events or due retries.
  struct Candidate: Sendable, Hashable {
    let id: String
    let app: String
    let types: Set<String>
    let cursor: Int64
    /// The newest number of the app.
    let newest: Int64
    let hasDueRetry: Bool
  }

  static func candidates(
    at now: Date, machineNow: Date, in connection: any SQLConnection
  ) throws -> [Candidate] {
    try connection.rows(
      """
      SELECT id, app_id, types, cursor, newest, is_due FROM (
        SELECT endpoint.id, endpoint.app_id, endpoint.types, endpoint.cursor, coalesce(counter.newest, 0) AS newest,
          CASE WHEN EXISTS (
            SELECT 1 FROM webhook_deliveries AS delivery
            WHERE delivery.endpoint_id = endpoint.id AND delivery.due_at <= $1
          ) THEN 1 ELSE 0 END AS is_due
        FROM webhook_endpoints AS endpoint LEFT JOIN event_counters AS counter ON counter.app_id = endpoint.app_id
        WHERE endpoint.disabled_at IS NULL AND (endpoint.leased_by IS NULL OR endpoint.leased_until <= $2)
      ) AS served
      WHERE is_due = 1 OR cursor < newest ORDER BY id
      """, [.date(now), .date(machineNow)]
    ).map { row in
      Candidate(
        id: try row.text("id"), app: try row.text("app_id"), types: EndpointRecords.types(try row.text("types")),
        cursor: try row.integer("cursor"), newest: try row.integer("newest"), hasDueRetry: try row.bool("is_due"))
    }
  }

  /// Claims an endpoint; nil if another process has a lease, or the endpoint is disabled. Returns the cursor.
  static func claim(
    _ lease: EndpointLease, machineNow: Date, in transaction: StoreTransaction
  ) throws -> Int64? {
    try transaction.rows(
      """
      UPDATE webhook_endpoints SET leased_by = $2, leased_until = $3
      WHERE id = $1 AND disabled_at IS NULL AND (leased_by IS NULL OR leased_until <= $4)
      RETURNING cursor
      """,
      [
        .text(lease.endpoint), .text(lease.token), .date(machineNow + EndpointLease.length), .date(machineNow),
      ]
    ).first?.integer("cursor")
  }

  /// Renews a lease and moves the cursor; false if the lease was lost.
  static func renew(
    _ lease: EndpointLease, cursor: Int64, machineNow: Date, in transaction: StoreTransaction
  ) throws -> Bool {
    guard try SyncEpoch.current(in: transaction) == lease.epoch else { return false }
    return try transaction.execute(
      "UPDATE webhook_endpoints SET cursor = $3, leased_until = $4 WHERE id = $1 AND leased_by = $2",
      [.text(lease.endpoint), .text(lease.token), .integer(cursor), .date(machineNow + EndpointLease.length)]) > 0
  }

  static func release(_ lease: EndpointLease, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE webhook_endpoints SET leased_by = NULL, leased_until = NULL WHERE id = $1 AND leased_by = $2",
      [.text(lease.endpoint), .text(lease.token)])
  }
}
