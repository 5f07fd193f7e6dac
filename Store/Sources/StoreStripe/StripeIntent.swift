import StorePayments

/// What the store has begun at Stripe for a charge: a payment intent, or a setup intent for what costs nothing.
protocol StripeIntent: StripeObject {
  /// What the store wrote to it.
  var metadata: [String: String]? { get }
  /// Whether it can still go on.
  var isUnfinished: Bool { get }
  /// Where the charge stands.
  var chargeState: ChargeState { get }
}

extension StripeIntent {
  /// Whether the method is to be saved.
  var remembersMethod: Bool { metadata?[StripeMetadata.remembers] == StripeMetadata.yes }

  /// Whether it was begun for a charge.
  func isOf(_ request: ChargeRequest) -> Bool { metadata?[StripeMetadata.charge] == request.id }

  /// Whether it was begun for a subscription's period.
  func isOf(_ period: ChargedPeriod) -> Bool {
    metadata?[StripeMetadata.subscription] == period.subscription
      && metadata?[StripeMetadata.period] == String(period.number)
  }

  /// Where an intent without a method stands. A card that the buyer enters may be refused and entered again, in
  /// Stripe's fields. A saved one was refused, unless the bank only wants its owner.
  fileprivate func stateWithoutMethod(after error: StripeDecline?) -> ChargeState {
    guard metadata?[StripeMetadata.isSaved] == StripeMetadata.yes, let error else { return .requiresAction }
    return error.needsAuthentication ? .requiresAction : .declined(error.reason)
  }
}

extension StripePaymentIntent: StripeIntent {
  var isUnfinished: Bool {
    [.requiresPaymentMethod, .requiresConfirmation, .requiresAction, .requiresCapture].contains(status)
  }

  var chargeState: ChargeState {
    switch status {
    case .succeeded: .succeeded
    case .processing, .requiresCapture: .pending
    case .requiresAction, .requiresConfirmation: .requiresAction
    case .requiresPaymentMethod: stateWithoutMethod(after: lastPaymentError)
    case .canceled: .cancelled
    default: .pending
    }
  }
}

extension StripeSetupIntent: StripeIntent {
  var isUnfinished: Bool { [.requiresPaymentMethod, .requiresConfirmation, .requiresAction].contains(status) }

  var chargeState: ChargeState {
    switch status {
    case .succeeded: .succeeded
    case .requiresAction, .requiresConfirmation: .requiresAction
    case .requiresPaymentMethod: stateWithoutMethod(after: lastSetupError)
    case .canceled: .cancelled
    default: .pending
    }
  }
}
