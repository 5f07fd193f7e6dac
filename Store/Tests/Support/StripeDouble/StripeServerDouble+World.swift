import Foundation
import Synchronization

/// What buyers, banks and the operator do at the double.
extension StripeServerDouble {
  /// The buyer agrees at the bank to what waits for it, a payment or a method that is being saved, or refuses.
  public func authenticate(_ id: String, agrees: Bool = true) throws {
    try change { state throws(Refusal) in
      if id.hasPrefix("seti_") {
        try state.authenticate(setup: id, agrees: agrees)
      } else {
        try state.authenticate(payment: id, agrees: agrees)
      }
    }
  }

  /// A payment that is processing ends.
  public func settle(_ payment: String, succeeds: Bool = true) throws {
    try change { state throws(Refusal) in try state.settle(payment: payment, succeeds: succeeds) }
  }

  /// A pending refund succeeds.
  public func settleRefund(_ refund: String) throws {
    try change { state throws(Refusal) in try state.end(refund: refund, failure: nil) }
  }

  /// A refund fails, also after it succeeded.
  public func failRefund(_ refund: String, reason: String = "lost_or_stolen_card") throws {
    try change { state throws(Refusal) in try state.end(refund: refund, failure: reason) }
  }

  /// The operator gives money back in the dashboard; returns the refund's id.
  @discardableResult
  public func refundByHand(_ payment: String, amount: Int64) throws -> String {
    try change { state throws(Refusal) in
      let charge = try state.charge(of: payment)
      try state.requireRefundable(charge, amount: amount)
      return state.makeRefund(of: charge, amount: amount, reason: nil, metadata: [:]).id
    }
  }

  /// The buyer objects at the bank, or with an inquiry asks; returns the dispute's id.
  @discardableResult
  public func dispute(_ payment: String, reason: String = "fraudulent", isInquiry: Bool = false) throws -> String {
    try change { state throws(Refusal) in
      let charge = try state.charge(of: payment)
      // Only a bank's question that was closed may be followed by another one.
      if let earlier = charge.dispute.flatMap({ state.disputes[$0] }), earlier.status != "warning_closed" {
        throw .invalid("This charge has been disputed already.")
      }
      return state.openDispute(charge, reason: reason, isInquiry: isInquiry).id
    }
  }

  /// An inquiry becomes a dispute.
  public func escalate(_ dispute: String) throws {
    try change { state throws(Refusal) in try state.escalate(dispute: dispute) }
  }

  /// A dispute ends: `won`, `lost`, or for an inquiry `warning_closed`.
  public func close(_ dispute: String, as status: String) throws {
    try change { state throws(Refusal) in
      guard let open = state.disputes[dispute], open.isOpen else { throw .missing("open dispute", id: dispute) }
      // No money was taken for an inquiry, and none comes back.
      guard open.isInquiry == (status == "warning_closed") else {
        throw .invalid("\(open.status) does not become \(status).")
      }
      state.close(open, as: status)
    }
  }

  /// The bank tells that a payment is probably a fraud.
  public func warnOfFraud(_ payment: String) throws {
    try change { state throws(Refusal) in state.warnOfFraud(try state.charge(of: payment)) }
  }

  /// The bank tells the card's new date and number: the method may pay again.
  public func renewCard(_ method: String, lastFour: String? = nil, year: Int) throws {
    try change(method) { method, state in
      let before: JSON = [
        "card": ["exp_year": .number(Int64(method.expYear)), "last4": .text(method.lastFour)]
      ]
      method.expYear = year
      if let lastFour { method.lastFour = lastFour }
      method.isRenewed = true
      method.nextDeclines = []
      state.tell(
        "payment_method.automatically_updated", of: method.json(isLive: state.isLive), previous: before)
    }
  }

  /// The bank declines the next charges of a method, or the next tries to set it up.
  public func decline(_ method: String, with declines: [Decline]) throws {
    try change(method) { method, _ in method.nextDeclines += declines }
  }

  /// The next charge without the buyer answers 200 with `requires_action`, and not 402.
  public func askWithoutError(_ method: String) throws {
    try change(method) { method, _ in method.asksWithoutError = true }
  }

  /// The operator detaches a method in the dashboard.
  public func detachByHand(_ method: String) throws {
    try change { state throws(Refusal) in
      guard let known = state.methods[method] else { throw .missing("PaymentMethod", id: method) }
      state.detach(known)
    }
  }

  /// The operator deletes a customer in the dashboard.
  public func deleteByHand(_ customer: String) throws {
    try change { state throws(Refusal) in _ = try state.deleteCustomer(customer) }
  }

  /// Stripe sends the balance to the bank; returns the payouts' ids.
  @discardableResult
  public func payOut() -> [String] {
    state.withLock { state in
      state.now = now()
      return state.payOut()
    }
  }

  /// The bank sends a payout back.
  public func failPayout(_ id: String) throws {
    try change { state throws(Refusal) in try state.failPayout(id) }
  }

  private func change<Result>(_ body: (inout StripeState) throws(Refusal) -> Result) throws -> Result {
    try state.withLock { state in
      state.now = now()
      return try body(&state)
    }
  }

  private func change(_ id: String, _ body: (inout PaymentMethod, inout StripeState) -> Void) throws {
    try change { state throws(Refusal) in
      guard var method = state.methods[id] else { throw .missing("PaymentMethod", id: id) }
      body(&method, &state)
      state.methods[id] = method
    }
  }
}

extension StripeState {
  /// The charge that paid a payment.
  fileprivate func charge(of payment: String) throws(Refusal) -> Charge {
    guard let payment = payments[payment], payment.status == "succeeded",
      let charge = payment.latestCharge.flatMap({ charges[$0] })
    else { throw .missing("payment_intent that succeeded", id: payment) }
    return charge
  }
}
