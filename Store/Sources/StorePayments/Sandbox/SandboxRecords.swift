import Foundation
package import StoreAccounts
import StoreBase

/// What the sandbox provider has done, in books of its own as a real provider has them: what the store was told is not
/// what happened.
package struct SandboxRecords: Sendable {
  /// The most notices of one part of the list.
  private static let pageSize = 100

  /// The rows of an account's orders.
  package static let export = AccountTable(
    name: "sandbox_payments", table: "sandbox_payments", condition: AccountTable.isOrder)

  let database: any Database

  /// Writes down what happens. Money that came can only go back, in parts or as a whole.
  func note(_ event: SandboxEvent, at now: Date) async throws {
    try await database.write { connection in
      var kind = event.type
      if kind == .refunded { kind = try Self.noteRefund(event, in: connection) }
      try connection.execute(
        """
        INSERT INTO sandbox_payments(id, order_id, kind, amount, currency, noted_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT(id) DO UPDATE SET kind = excluded.kind, order_id = excluded.order_id, noted_at = excluded.noted_at
        WHERE excluded.kind = 'refunded' OR sandbox_payments.kind NOT IN ('succeeded', 'refunded')
        """,
        [
          .text(event.paymentID), .text(event.orderID), .text(kind.rawValue),
          .integer(event.paymentAmount ?? event.amount), .text(event.currency), .date(now),
        ])
    }
  }

  /// Writes a refund down, once, and returns what the payment is with it.
  private static func noteRefund(_ event: SandboxEvent, in connection: any SQLConnection) throws -> SandboxEvent.Kind {
    try connection.execute(
      "INSERT INTO sandbox_refunds(id, payment_id, amount) VALUES ($1, $2, $3) ON CONFLICT(id) DO NOTHING",
      [.text(event.refundReference), .text(event.paymentID), .integer(event.amount)])
    let refunded = try refunded(event.paymentID, in: connection)
    return refunded >= event.paymentAmount ?? event.amount ? .refunded : .succeeded
  }

  static func refunded(_ payment: String, in connection: any SQLConnection) throws -> Int64 {
    try connection.row(
      "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) AS total FROM sandbox_refunds WHERE payment_id = $1",
      [.text(payment)])?.integer("total") ?? 0
  }

  func charge(_ payment: String) async throws -> ProviderCharge? {
    try await database.read { connection in
      guard let row = try connection.row("SELECT * FROM sandbox_payments WHERE id = $1", [.text(payment)]) else {
        return nil
      }
      let amount = try row.integer("amount")
      let kind = try Self.kind(row)
      let state: ChargeState =
        switch kind {
        case .succeeded, .refunded, .refundFailed, .disputeOpened, .fundsWithdrawn, .fundsReinstated, .disputeWon,
          .disputeLost:
          .succeeded
        case .pending: .pending
        case .declined: .declined(.later)
        }
      return ProviderCharge(
        state: state, amount: amount, currency: try row.text("currency"),
        refunded: try Self.refunded(payment, in: connection))
    }
  }

  /// The payments of which something happened since a time: each as the event that told its newest state, and what
  /// happened to its dispute.
  func notices(
    since start: Date, after cursor: String?, in environment: StoreEnvironment
  ) async throws -> ProviderNoticePage {
    let payments = try await database.read { connection in
      try connection.rows(
        """
        SELECT * FROM sandbox_payments
        WHERE (noted_at >= $1 OR id IN (SELECT payment_id FROM sandbox_disputes WHERE noted_at >= $1))
          AND id > $2 AND order_id <> ''
        ORDER BY id LIMIT $3
        """,
        [.date(start), .text(cursor ?? ""), .integer(Int64(Self.pageSize))]
      ).map { row in [try Self.event(row)] + (try Self.disputeEvents(row, in: connection)) }
    }
    let notices = try payments.flatMap(\.self).map { event in
      ProviderNotice(id: event.eventID, content: .event(try event.event(in: environment)))
    }
    return ProviderNoticePage(
      notices: notices, cursor: payments.count < Self.pageSize ? nil : payments.last?.first?.paymentID)
  }

  private static func event(_ row: SQLRow) throws -> SandboxEvent {
    let (payment, kind) = (try row.text("id"), try kind(row))
    return SandboxEvent(
      eventID: "\(payment):\(kind.rawValue)", type: kind, paymentID: payment, orderID: try row.text("order_id"),
      amount: try row.integer("amount"), currency: try row.text("currency"))
  }

  static func kind(_ row: SQLRow) throws -> SandboxEvent.Kind {
    guard let kind = SandboxEvent.Kind(rawValue: try row.text("kind")) else {
      throw StorageError.unexpectedValue(column: "kind", expected: "a kind of the sandbox's events")
    }
    return kind
  }
}
