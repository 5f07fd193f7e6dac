/// Something that happened to an order.
public enum OrderEvent: Sendable, Hashable {
  /// The store handed a payment to the provider.
  case paymentStarted
  /// The provider needs more time: a second step, a bank, a parent.
  case paymentPending
  /// The provider has the money.
  case paymentSucceeded
  /// The provider refused; the buyer may try another way.
  case paymentDeclined
  /// The buyer gave up, or the order expired.
  case cancelled
  /// The app has given the buyer what was bought.
  case finished
  /// The money went back, or support took the purchase back.
  case refunded(RevocationReason)
}

/// What an event did to an order.
public enum OrderOutcome: Sendable, Hashable {
  /// The order is different now.
  case changed
  /// The event was known already, or came too late to matter: there is nothing to do.
  case unchanged
  /// Money came for a cancelled order. The order stays cancelled and the store must give the money back; it is told
  /// once, and `refunded` settles it.
  case paidAfterCancel
}

/// Why an event cannot happen to an order.
public enum OrderTransitionError: Error, Sendable, Hashable {
  /// It is paid: it cannot be paid again or cancelled.
  case alreadyPaid
  /// It is cancelled: it cannot be paid any more; make a new order.
  case alreadyCancelled
  /// The provider is working on a payment: wait for its answer.
  case paymentInFlight
  /// It is not paid: nothing was delivered that could be finished.
  case notFinal
  /// No money came: there is nothing to give back.
  case notPaid
}

extension OrderTransitionError: CustomStringConvertible {
  /// What was expected and what to do.
  public var description: String {
    switch self {
    case .alreadyPaid: "expected an unpaid order, got a paid one; refund it instead"
    case .alreadyCancelled: "expected an open order, got a cancelled one; make a new order"
    case .paymentInFlight: "expected an order without a payment in flight; wait for the provider's answer"
    case .notFinal: "expected a paid order, got one that is not paid; finish it after its payment"
    case .notPaid: "expected a paid order, got one without a payment; there is nothing to give back"
    }
  }
}
