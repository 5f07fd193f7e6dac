/// What the sandbox provider has done, in books of its own as a real provider has them: what the store was told is not
/// what happened.
struct SandboxRecords: Sendable {
  let database: any Database

  /// Writes down what happens. Money that came can only go back.
  func note(_ event: ProviderEvent) async throws {
    try await database.write { connection in
      try connection.execute(
        """
        INSERT INTO sandbox_payments(id, kind, amount, currency) VALUES ($1, $2, $3, $4)
        ON CONFLICT(id) DO UPDATE SET kind = excluded.kind
        WHERE excluded.kind = 'refunded' OR sandbox_payments.kind NOT IN ('succeeded', 'refunded')
        """,
        [.text(event.paymentID), .text(event.type.rawValue), .integer(event.amount), .text(event.currency)])
    }
  }

  func record(of payment: String) async throws -> ProviderRecord? {
    try await database.read { connection in
      guard let row = try connection.row("SELECT * FROM sandbox_payments WHERE id = $1", [.text(payment)]) else {
        return nil
      }
      guard let kind = ProviderEvent.Kind(rawValue: try row.text("kind")) else {
        throw StorageError.unexpectedValue(column: "kind", expected: "succeeded, declined, pending or refunded")
      }
      return ProviderRecord(kind: kind, amount: try row.integer("amount"), currency: try row.text("currency"))
    }
  }
}
