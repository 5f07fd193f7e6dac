import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The rows of the outbox. What writes a row need not know the ``Outbox``, whose handlers hold what writes rows.
struct OutboxRecords: Sendable {
  /// Writes a row; returns its number.
  @discardableResult
  func add(_ kind: String, _ payload: String, due: Date, _ connection: any SQLConnection) throws -> Int64 {
    try connection.row(
      "INSERT INTO outbox(kind, payload, due_at, attempts) VALUES ($1, $2, $3, 0) RETURNING id",
      [.text(kind), .text(payload), .date(due)])?.integer("id") ?? 0
  }
}

/// What leaves the process: a row written in the same transaction as its cause, delivered after the commit, tried again
/// until it is taken. Receivers know repetitions by an id.
final class Outbox: Service {
  typealias Handler = @Sendable (_ payload: String) async throws -> Void

  /// Seconds until the next try, by the number of tries so far; the last goes on for ever.
  private static let delays: [Double] = [1, 5, 30, 120, 600, 3600]
  private static let batchLimit = 50

  private let dependencies: StoreDependencies
  private let handlers = Mutex<[String: Handler]>([:])
  private let inDelivery = Mutex<Set<Int64>>([])

  init(_ dependencies: StoreDependencies) {
    self.dependencies = dependencies
  }

  /// Names who delivers a kind of row.
  func deliver(_ kind: String, by handler: @escaping Handler) {
    handlers.withLock { $0[kind] = handler }
  }

  /// Delivers one row now; false when it is gone, somebody else delivers it, or nobody knows its kind. A failure is
  /// left to the next try.
  @discardableResult
  func deliver(_ id: Int64) async -> Bool {
    let isMine = inDelivery.withLock { $0.insert(id).inserted }
    guard isMine else { return false }
    defer { inDelivery.withLock { _ = $0.remove(id) } }
    do {
      let row = try await dependencies.database.read { connection in
        try connection.row("SELECT kind, payload FROM outbox WHERE id = $1", [.integer(id)])
      }
      guard let row, let handler = try handlers.withLock({ $0[try row.text("kind")] }) else {
        return false
      }
      try await handler(try row.text("payload"))
      try await dependencies.database.write { try $0.execute("DELETE FROM outbox WHERE id = $1", [.integer(id)]) }
    } catch {
      dependencies.logger.warning("delivery failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      await postpone(id)
    }
    return true
  }

  /// Delivers everything that is due; returns how many rows were tried.
  @discardableResult
  func drain() async throws -> Int {
    var tried = 0
    while true {
      let now = dependencies.clock.now()
      let due = try await dependencies.database.read { connection in
        try connection.rows(
          "SELECT id FROM outbox WHERE due_at <= $1 ORDER BY due_at, id LIMIT \(Self.batchLimit)", [.date(now)]
        ).map { try $0.integer("id") }
      }
      var round = 0
      for id in due where await deliver(id) { round += 1 }
      tried += round
      if round == 0 || due.count < Self.batchLimit { return tried }
    }
  }

  /// Delivers what is due, every second, until the store stops.
  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        try await drain()
      } catch {
        dependencies.logger.error("outbox failed", metadata: ["error": "\(String(reflecting: type(of: error)))"])
      }
      try? await cancelWhenGracefulShutdown { try await self.dependencies.clock.sleep(for: .seconds(1)) }
    }
  }

  private func postpone(_ id: Int64) async {
    let now = dependencies.clock.now()
    let delays = Self.delays
    // If even this fails, the row stays due and is tried at the next round.
    try? await dependencies.database.write { connection in
      guard let row = try connection.row("SELECT attempts FROM outbox WHERE id = $1", [.integer(id)]) else { return }
      let attempts = Int(try row.integer("attempts"))
      try connection.execute(
        "UPDATE outbox SET attempts = $2, due_at = $3 WHERE id = $1",
        [.integer(id), .integer(attempts + 1), .date(now.addingTimeInterval(delays[min(attempts, delays.count - 1)]))])
    }
  }
}

extension Migration {
  static let payments = [
    Migration(
      7, "payments",
      """
      CREATE TABLE outbox(
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL, due_at BIGINT NOT NULL,
        attempts BIGINT NOT NULL);
      CREATE INDEX outbox_by_due ON outbox(due_at);
      CREATE TABLE payments(
        id TEXT PRIMARY KEY, order_id TEXT NOT NULL, provider TEXT NOT NULL, method TEXT, amount BIGINT NOT NULL,
        currency TEXT NOT NULL, state TEXT NOT NULL, created_at BIGINT NOT NULL) WITHOUT ROWID;
      CREATE TABLE provider_events(
        provider TEXT NOT NULL, id TEXT NOT NULL, received_at BIGINT NOT NULL, PRIMARY KEY (provider, id)) WITHOUT ROWID;
      CREATE TABLE payment_methods(
        id TEXT PRIMARY KEY, account_id TEXT NOT NULL, card TEXT NOT NULL, created_at BIGINT NOT NULL) WITHOUT ROWID;
      CREATE INDEX payment_methods_by_account ON payment_methods(account_id);
      """),
    Migration(
      102, "calls to the provider are counted, its events carry amounts, and the sandbox's provider has its own books",
      """
      ALTER TABLE payments ADD COLUMN step BIGINT NOT NULL DEFAULT 1;
      CREATE TABLE sandbox_payments(
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL) WITHOUT ROWID;
      INSERT INTO sandbox_payments(id, kind, amount, currency)
        SELECT id, state, amount, currency FROM payments
        WHERE provider = 'sandbox' AND state IN ('succeeded', 'declined', 'pending', 'refunded');
      UPDATE outbox SET payload = json_set(payload,
        '$.amount', (SELECT amount FROM payments WHERE id = json_extract(payload, '$.payment_id')),
        '$.currency', (SELECT currency FROM payments WHERE id = json_extract(payload, '$.payment_id')))
        WHERE kind = 'sandbox.event';
      """),
  ]
}
