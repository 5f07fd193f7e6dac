/// The state of a payment.
package enum PaymentState: String, Sendable {
  case started
  case secondStep = "second_step"
  case pending
  case succeeded
  case declined
  /// Ended at the provider without a charge. The payment can no longer succeed.
  case cancelled
  case refunded

  /// A Boolean value that indicates whether an event with another state applies. Events may arrive late or out of
  /// order. A succeeded payment can only be refunded. A cancelled payment does not change, unless its money was charged
  /// before. The settlement of refunds applies the failure of a refund.
  package func mayBecome(_ next: PaymentState) -> Bool {
    switch self {
    case .refunded: false
    case .succeeded: next == .refunded
    case .cancelled: next == .succeeded || next == .refunded
    case .pending: next != .secondStep
    case .started, .secondStep, .declined: true
    }
  }
}
