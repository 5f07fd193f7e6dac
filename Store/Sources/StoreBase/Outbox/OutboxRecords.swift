package import Foundation

/// The table of the outbox. It is separate from ``Outbox``, whose handlers hold the services that write rows. Every
/// call runs inside the caller's transaction.
package struct OutboxRecords: Sendable {
  package init() {}

  /// Writes a row; returns its number.
  ///
  /// - Parameter due: in the transaction's time, which may be that of an account that is ahead. The row is due at the
  ///   store's.
  @discardableResult
  package func add(_ kind: String, payload: String, due: Date, in transaction: StoreTransaction) throws -> Int64 {
    try transaction.row(
      "INSERT INTO outbox(kind, payload, due_at, attempts) VALUES ($1, $2, $3, 0) RETURNING id",
      [.text(kind), .text(payload), .date(transaction.storeTime(of: due))])?.integer("id") ?? 0
  }

  /// Writes a row that the writer itself delivers at once: no other process takes it meanwhile, and none needs a write
  /// for that.
  package func add(
    _ kind: String, payload: String, leasedBy lease: OutboxLease, in transaction: StoreTransaction
  ) throws -> OutboxDelivery {
    let row = try transaction.row(
      """
      INSERT INTO outbox(kind, payload, due_at, attempts, lease_by, lease_until) VALUES ($1, $2, $3, 0, $4, $5)
      RETURNING id
      """, [.text(kind), .text(payload), .date(transaction.storeNow), .text(lease.token), .date(lease.until)])
    let claim = OutboxClaim(id: try row?.integer("id") ?? 0, token: lease.token)
    return OutboxDelivery(claim: claim, kind: kind, payload: payload, until: lease.until)
  }

  /// Whether a row of a kind is due that no lease holds.
  ///
  /// - Parameter machineNow: the time of leases.
  func isDue(_ kind: String, machineNow: Date, in transaction: StoreTransaction) throws -> Bool {
    let values = Self.due(kind, machineNow: machineNow, in: transaction)
    return try transaction.row("SELECT id FROM outbox WHERE \(Self.due) LIMIT 1", values) != nil
  }

  /// Takes rows of a kind that are due: first those that have not failed, so that no failing receiver delays another,
  /// then by the time at which they became due. Both engines have one writer at a time
  /// (PostgreSQL's takes a lock), so that no other process takes the same rows: `SKIP LOCKED` is not needed.
  func claim(
    _ kind: String, limit: Int, for lease: OutboxLease, machineNow: Date, in transaction: StoreTransaction
  ) throws -> [OutboxDelivery] {
    let parameters =
      Self.due(kind, machineNow: machineNow, in: transaction) + [.text(lease.token), .date(lease.until)]
    var deliveries: [OutboxDelivery] = []
    // Two statements: each reads the index in its order, and ends at the limit.
    for condition in ["failing_since IS NULL", "failing_since IS NOT NULL"] where deliveries.count < limit {
      let rows = try transaction.rows(
        """
        UPDATE outbox SET lease_by = $5, lease_until = $6 WHERE id IN (
          SELECT id FROM outbox WHERE \(Self.due) AND \(condition)
          ORDER BY due_at, id LIMIT \(limit - deliveries.count))
        RETURNING id, kind, payload, due_at
        """, parameters)
      deliveries += try rows.map { (dueAt: try $0.integer("due_at"), id: try $0.integer("id"), row: $0) }
        .sorted { ($0.dueAt, $0.id) < ($1.dueAt, $1.id) }
        .map { _, id, row in
          OutboxDelivery(
            claim: OutboxClaim(id: id, token: lease.token), kind: try row.text("kind"),
            payload: try row.text("payload"), until: lease.until)
        }
    }
    return deliveries
  }

  /// True if a row of a kind has a text in its payload.
  package func contains(_ kind: String, with text: String, in connection: any SQLConnection) throws -> Bool {
    try connection.row(
      "SELECT id FROM outbox WHERE kind = $1 AND payload LIKE $2 LIMIT 1", [.text(kind), .text("%\(text)%")]) != nil
  }

  /// Holds a row for longer; false when another process has taken it.
  func renew(_ claim: OutboxClaim, until: Date, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "UPDATE outbox SET lease_until = $3 WHERE id = $1 AND lease_by = $2",
      [.integer(claim.id), .text(claim.token), .date(until)]) > 0
  }

  /// Gives a row back that was not delivered.
  func release(_ claim: OutboxClaim, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE outbox SET lease_by = NULL, lease_until = NULL WHERE id = $1 AND lease_by = $2",
      [.integer(claim.id), .text(claim.token)])
  }

  /// Deletes a row that was delivered, unless another process has taken it meanwhile.
  func delete(_ claim: OutboxClaim, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM outbox WHERE id = $1 AND lease_by = $2", [.integer(claim.id), .text(claim.token)])
  }

  /// The condition of rows that are due. A lease that ends later than any lease could is of a clock that was wrong: it
  /// holds nothing.
  private static let due =
    "kind = $1 AND due_at <= $2 AND (lease_until IS NULL OR lease_until <= $3 OR lease_until > $4)"

  /// The values of the parameters $1 to $4 of ``due``.
  private static func due(_ kind: String, machineNow: Date, in transaction: StoreTransaction) -> [SQLValue] {
    let latest = machineNow + 2 * OutboxLease.length
    return [.text(kind), .date(transaction.now), .date(machineNow), .date(latest)]
  }

  /// Records a failed try and ends the lease, unless another process has taken the row meanwhile.
  ///
  /// - Parameters:
  ///   - wait: the seconds until the next try, when the receiver has said.
  ///   - longestDelay: the most seconds until the next try.
  func postpone(
    _ claim: OutboxClaim, because error: String, wait: TimeInterval? = nil, longestDelay: TimeInterval? = nil,
    in transaction: StoreTransaction
  ) throws {
    let row = try transaction.row(
      "SELECT attempts, failing_since FROM outbox WHERE id = $1 AND lease_by = $2",
      [.integer(claim.id), .text(claim.token)])
    guard let row else { return }
    let (now, earlier) = (transaction.now, Int(try row.integer("attempts")))
    let since = try row.optionalDate("failing_since") ?? now
    let delay =
      wait.map { min($0, longestDelay ?? .infinity) }
      ?? OutboxRetryPolicy.delay(earlierTries: earlier, longest: longestDelay)
    try transaction.execute(
      """
      UPDATE outbox SET attempts = $2, due_at = $3, failing_since = $4, error = $5, lease_by = NULL,
        lease_until = NULL
      WHERE id = $1
      """,
      [
        .integer(claim.id), .integer(earlier + 1), .date(now.addingTimeInterval(delay)), .date(since),
        .text(error),
      ])
  }
}

/// What the operator sees and does.
extension OutboxRecords {
  /// The deliveries that wait: failing deliveries first, then by due time.
  package func all(limit: Int, in connection: any SQLConnection) throws -> [OutboxListing] {
    try connection.rows(
      """
      SELECT id, kind, payload, attempts, due_at, failing_since, error FROM outbox
      ORDER BY failing_since IS NULL, due_at, id LIMIT $1
      """, [.integer(limit)]
    ).map(OutboxListing.init)
  }

  /// Makes a delivery due now; false when there is none with this number.
  package func retry(_ id: Int64, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute("\(Self.retry) WHERE id = $2", [.date(transaction.now), .integer(id)]) > 0
  }

  /// Makes all failing deliveries due now; returns their number.
  package func retryFailing(in transaction: StoreTransaction) throws -> Int {
    try transaction.execute("\(Self.retry) WHERE failing_since IS NOT NULL", [.date(transaction.now)])
  }

  /// The date of the first failure stays, so that no retry silences an alert.
  private static let retry = "UPDATE outbox SET due_at = $1"

  /// The number of deliveries that wait, by kind.
  package func counts(in connection: any SQLConnection) throws -> [String: Int] {
    let rows = try connection.rows("SELECT kind, count(*) AS total FROM outbox GROUP BY kind")
    return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.text("kind"), Int(try $0.integer("total"))) })
  }

  /// How many deliveries wait, and how many of them fail.
  ///
  /// - Parameter known: the kinds that this program delivers.
  package func status(known: [String], at now: Date, in connection: any SQLConnection) throws -> OutboxStatus {
    let rows = try connection.rows(
      """
      SELECT kind, count(*) AS total, count(failing_since) AS failing,
        sum(CASE WHEN failing_since <= $1 THEN 1 ELSE 0 END) AS long
      FROM outbox GROUP BY kind ORDER BY kind
      """, [.date(now - 86_400)])
    var status = OutboxStatus()
    for row in rows {
      let (kind, long) = (try row.text("kind"), Int(try row.integer("long")))
      status.waiting += Int(try row.integer("total"))
      status.failing += Int(try row.integer("failing"))
      if long > 0 { status.failingForADay[kind] = long }
      if !known.contains(kind) { status.unknownKinds.append(kind) }
    }
    return status
  }
}
