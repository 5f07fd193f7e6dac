import Foundation
package import StoreAccounts
import StoreBase

/// Disputes in the sandbox's books: a row for each thing that happened to one. A payment has one dispute at most.
extension SandboxRecords {
  /// The rows of an account's orders.
  package static let disputeExport = AccountTable(
    name: "sandbox_disputes", table: "sandbox_disputes", condition: AccountTable.isOrder)

  /// Writes down what happens to a dispute, and returns it with the disputed amount: what was left of the payment when
  /// the dispute began. Nil when nothing was left, and there is nothing to dispute.
  func noteDispute(_ event: SandboxEvent, at now: Date) async throws -> SandboxEvent? {
    try await database.write { connection in
      let known = try connection.row(
        "SELECT amount FROM sandbox_disputes WHERE payment_id = $1 LIMIT 1", [.text(event.paymentID)])
      let whole = event.paymentAmount ?? event.amount
      var event = event
      event.amount =
        try known?.integer("amount") ?? whole - Self.refunded(event.paymentID, in: connection)
      guard event.amount > 0 else { return nil }
      try connection.execute(
        """
        INSERT INTO sandbox_disputes(payment_id, kind, order_id, amount, noted_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT(payment_id, kind) DO NOTHING
        """,
        [
          .text(event.paymentID), .text(event.type.rawValue), .text(event.orderID), .integer(event.amount), .date(now),
        ])
      return event
    }
  }

  /// Whether the bank has a payment's money for a dispute: what is refunded then is paid twice.
  func isWithdrawn(_ payment: String) async throws -> Bool {
    let kinds = try await database.read { connection in
      try connection.rows("SELECT kind FROM sandbox_disputes WHERE payment_id = $1", [.text(payment)])
        .map { try $0.text("kind") }
    }
    return kinds.contains(SandboxEvent.Kind.fundsWithdrawn.rawValue)
      && !kinds.contains(SandboxEvent.Kind.fundsReinstated.rawValue)
  }

  /// What has happened to the dispute of a payment, in the order of time.
  static func disputeEvents(_ payment: SQLRow, in connection: any SQLConnection) throws -> [SandboxEvent] {
    let id = try payment.text("id")
    let events = try connection.rows("SELECT * FROM sandbox_disputes WHERE payment_id = $1", [.text(id)]).map { row in
      let kind = try kind(row)
      return SandboxEvent(
        eventID: "\(id):\(kind.rawValue)", type: kind, paymentID: id, orderID: try row.text("order_id"),
        amount: try row.integer("amount"), currency: try payment.text("currency"),
        paymentAmount: try payment.integer("amount"))
    }
    return SandboxEvent.Kind.ofDisputes.flatMap { kind in events.filter { $0.type == kind } }
  }
}
