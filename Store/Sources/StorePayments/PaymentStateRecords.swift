package import StoreBase

/// The states of payments, for providers. Every call runs inside the caller's transaction.
package enum PaymentStateRecords {
  /// True if a payment is pending with its provider.
  package static func isPending(_ payment: String, in connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT state FROM payments WHERE id = $1", [.text(payment)])
      .map { try $0.text("state") } == PaymentState.pending.rawValue
  }
}
